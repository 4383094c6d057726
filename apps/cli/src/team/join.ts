import { resolve } from "node:path";
import { type Member, TroupeError } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { openTeam } from "../open.ts";

interface JoinOptions {
  readonly type?: string;
  readonly model?: string;
  readonly prompt?: string;
  readonly cwd?: string;
  readonly backend?: "tmux" | "in-process";
  readonly pane?: string;
}

export async function run(call: Call<{ team: string; name: string }, JoinOptions>): Promise<Answer> {
  const { type = "general-purpose", model = "inherit", prompt = "", cwd = "." } = call.options;
  const place = placeFrom(call.options);
  const team = await openTeam(call, call.args.team);
  const member = await team.join({
    name: call.args.name,
    agentType: type,
    model,
    prompt: prompt === "-" ? await call.read() : prompt,
    joinedAt: call.now().getTime(),
    cwd: resolve(call.cwd, cwd),
  });
  // In 2026-11 a member in tmux writes `isActive` itself.
  const isActive = place?.backendType === "tmux" && team.form === "2026-02" ? { isActive: true } : {};
  const patch = { ...place, ...isActive };
  if (place) await team.updateMember(member.name, patch);
  return {
    document: { team: team.name, member: { ...member, ...patch } },
    text: [`${member.name} joined ${team.name}`],
  };
}

/** Reads where the agent runs from the options; undefined if they do not say it. */
function placeFrom({ backend, pane }: JoinOptions): Pick<Member, "tmuxPaneId" | "backendType"> | undefined {
  if (backend === undefined && pane === undefined) return undefined;
  if (backend === "in-process") {
    if (pane === undefined) return { tmuxPaneId: backend, backendType: backend };
    throw new TroupeError("arguments_invalid", "a teammate that runs in-process has no pane: leave out --pane");
  }
  if (pane !== undefined && /^%\d+$/.test(pane)) return { tmuxPaneId: pane, backendType: "tmux" };
  const found = pane === undefined ? "" : `, not ${JSON.stringify(pane)}`;
  throw new TroupeError("arguments_invalid", `--pane needs the id of a tmux pane, such as %14${found}`);
}
