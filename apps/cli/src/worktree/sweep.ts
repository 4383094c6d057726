import type { Answer, Call } from "../command.ts";
import { counted } from "../paint.ts";
import { worktreesOf } from "./open.ts";
import { stateText } from "./state-text.ts";

export async function run(call: Call): Promise<Answer> {
  const worktrees = await worktreesOf(call).sweep(call.signal);
  const stay = worktrees.filter(({ isRemoved, state }) => !isRemoved && state !== "used");
  return {
    document: { worktrees },
    text: stateText(worktrees),
    ...(worktrees.length === 0 && { remark: "no agent has a worktree in this repository" }),
    ...(stay.length > 0 && {
      remark: `${counted(stay.length, "worktree")} with something in it: merge it, or run troupe worktree remove NAME, which keeps everything in a reference`,
    }),
  };
}
