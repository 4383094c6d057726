import type { Answer, Call } from "../command.ts";
import { worktreesOf } from "./open.ts";
import { stateText } from "./state-text.ts";

export async function run(call: Call): Promise<Answer> {
  const worktrees = await worktreesOf(call).list(call.signal);
  return {
    document: { worktrees },
    text: stateText(worktrees),
    ...(worktrees.length === 0 && { remark: "no agent has a worktree in this repository" }),
  };
}
