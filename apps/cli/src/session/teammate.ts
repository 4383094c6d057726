import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parseTeammateArgs, type TeammateArgs, TroupeError } from "@troupe/protocol";
import { createAbort, type Session } from "@troupe/runtime";
import { teammateMessage, tellReady } from "@troupe/team";
import type { Answer, Call } from "../command.ts";
import { hostTeammate } from "./agent-host.ts";
import { definitionsGiven } from "./given-definitions.ts";
import { openMember } from "./member.ts";

/** Runs a member of a team, turn after turn, until its lead shuts it down or is gone. */
export async function run(call: Call<{ flags: readonly string[] }>): Promise<Answer | undefined> {
  const args = argsIn(call.args.flags);
  const { "session-id": sessionId, agents: flag, acp, brief, ...options } = restOf(args);
  if (acp !== undefined) {
    await hostTeammate(call, args, acp);
    return undefined;
  }
  const session = await openMember(call, {
    ...args,
    sessionId,
    // The lead has read them by the revision of its team.
    definitions: { ...definitionsGiven({ ...call, options }, "2026-02"), ...(flag !== undefined && { flag }) },
    hasKey: args.leadVerifyKey !== undefined,
  });
  try {
    for (const problem of session.problems) call.note(problem);
    if (brief !== undefined) tellBrief(session, brief);
    const membership = session.membership();
    if (membership) await tellReady(membership.team, membership.self);
    await attend(session, call, args);
  } finally {
    await session.close();
  }
  return undefined;
}

/** The first instruction of one on another machine than its lead; one that goes on has it. */
function tellBrief({ journal, tell, membership }: Session, path: string): void {
  const { past, said, waiting } = journal.state();
  if (past || said.length > 0 || waiting.length > 0) return;
  const { lead = "team-lead" } = membership() ?? {};
  const text = teammateMessage({ from: lead, text: readFileSync(path, "utf8"), timestamp: "" });
  tell(text, { origin: { kind: "teammate", name: lead } });
}

/** Prints the model's text as it streams; with `--json`, one line per finished turn. */
async function attend(session: Session, call: Call, { agentName: member, teamName: team }: TeammateArgs) {
  const { output } = call.streams;
  const turn = createAbort();
  const stop = () => turn.abort("shutdown");
  call.signal.addEventListener("abort", stop);
  if (call.signal.aborted) stop();
  for await (const event of session.attendTeam(turn.signal)) {
    if ("isOk" in event) {
      const { isOk, why, text } = event;
      await call.tell({ document: { at: call.now().toISOString(), event: "turn", team, member, isOk, why, text } });
    } else if (event.kind === "piece" && event.of === "text" && !call.isJson) output.write(event.text);
    else if (event.kind === "entry" && event.entry.kind === "answered" && !call.isJson) output.write("\n");
  }
}

function argsIn(flags: readonly string[]): TeammateArgs {
  const { args, problems } = parseTeammateArgs(flags);
  const [problem] = problems;
  if (problem) throw new TroupeError("arguments_invalid", `${problem.message}; ${problem.fix}`);
  if (!args)
    throw new TroupeError(
      "arguments_invalid",
      "a teammate needs --agent-id and the flags that go with it: troupe teammate --help",
    );
  return args;
}

/** Flags of Troupe that are not in the protocol. */
function restOf({ rest }: TeammateArgs) {
  const text = { type: "string" } as const;
  const options = {
    "session-id": text,
    agents: text,
    acp: text,
    brief: text,
    "plugin-dir": { ...text, multiple: true },
  } as const;
  try {
    return parseArgs({ args: [...rest], options, strict: true }).values;
  } catch (error) {
    throw new TroupeError("arguments_invalid", `troupe teammate: ${(error as Error).message}`);
  }
}
