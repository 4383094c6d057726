import { resolve } from "node:path";
import type { Answer, Call } from "../command.ts";
import { openTeam } from "../open.ts";

interface JoinOptions {
  readonly type?: string;
  readonly model?: string;
  readonly prompt?: string;
  readonly cwd?: string;
}

export async function run(call: Call<{ team: string; name: string }, JoinOptions>): Promise<Answer> {
  const { type = "general-purpose", model = "inherit", prompt = "", cwd = "." } = call.options;
  const team = await openTeam(call, call.args.team);
  const member = await team.join({
    name: call.args.name,
    agentType: type,
    model,
    prompt: prompt === "-" ? await call.read() : prompt,
    joinedAt: call.now().getTime(),
    cwd: resolve(call.cwd, cwd),
  });
  return { document: { team: team.name, member }, text: [`${member.name} joined ${team.name}`] };
}
