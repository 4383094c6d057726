import { resolve } from "node:path";
import { type LeadProcess, type Revision, TroupeError } from "@troupe/protocol";
import { isRunningHere, processHere } from "@troupe/store/files";
import type { Answer, Call } from "../command.ts";
import { openStore, sessionIdGiven } from "../open.ts";

export interface CreateOptions {
  readonly description?: string;
  readonly revision?: Revision;
  readonly lead?: string;
  readonly model?: string;
  readonly cwd?: string;
  readonly session?: string;
  readonly "lead-pid"?: string;
}

export async function run(call: Call<{ team: string }, CreateOptions>): Promise<Answer> {
  const { description, revision, lead, model = "inherit", cwd = "." } = call.options;
  const session = sessionIdGiven("session", call.options.session) ?? crypto.randomUUID();
  const leadProcess = leadProcessFrom(call.options, call.now());
  const { name, form } = await (await openStore(call)).createTeam({
    name: call.args.team,
    createdAt: call.now().getTime(),
    leadSessionId: session,
    leadModel: model,
    cwd: resolve(call.cwd, cwd),
    ...(lead !== undefined && { leadName: lead }),
    ...(description !== undefined && { description }),
    ...(revision && { revision }),
    ...(leadProcess && { leadProcess }),
  });
  return {
    document: { name, form, leadSessionId: session },
    text: [`created the team ${name} (revision ${form}); troupe team join ${name} <name> adds a teammate`],
  };
}

/** The process that leads, as the config of 2026-11 names it; undefined where a person does. */
function leadProcessFrom({ "lead-pid": given, revision }: CreateOptions, now: Date): LeadProcess | undefined {
  if (given === undefined) return undefined;
  if (revision !== "2026-11") throw wrong("--lead-pid needs --revision 2026-11: a config of 2026-02 names no process");
  const pid = Number(given);
  const named = /^[1-9]\d{0,8}$/.test(given) ? processHere(pid) : undefined;
  if (named && isRunningHere(named) !== false) return { ...named, claimedAt: now.getTime() };
  throw wrong(`--lead-pid takes the number of a process that runs here, not ${JSON.stringify(given)}`);
}

const wrong = (message: string): TroupeError => new TroupeError("arguments_invalid", message);
