import type { Answer, Call } from "../command.ts";
import { worktreesOf } from "./open.ts";

export async function run(call: Call<{ name: string }, { yes?: boolean }>): Promise<Answer> {
  const { name } = call.args;
  const refusal = await call.confirm(`Remove the worktree ${name} and its branch?`);
  if (refusal) return refusal;
  const { salvage } = await worktreesOf(call).remove(name, call.signal);
  return {
    document: { name, salvage },
    text: [`${name} is removed; everything in it stands in ${salvage}`],
    remark: `git worktree add DIR ${salvage} shows it again`,
  };
}
