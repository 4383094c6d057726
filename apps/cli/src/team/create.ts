import { resolve } from "node:path";
import type { Revision } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { openStore, sessionIdGiven } from "../open.ts";

export interface CreateOptions {
  readonly description?: string;
  readonly revision?: Revision;
  readonly lead?: string;
  readonly model?: string;
  readonly cwd?: string;
  readonly session?: string;
}

export async function run(call: Call<{ team: string }, CreateOptions>): Promise<Answer> {
  const { description, revision, lead, model = "inherit", cwd = "." } = call.options;
  const session = sessionIdGiven("session", call.options.session) ?? crypto.randomUUID();
  const { name, form } = await openStore(call).createTeam({
    name: call.args.team,
    createdAt: call.now().getTime(),
    leadSessionId: session,
    leadModel: model,
    cwd: resolve(call.cwd, cwd),
    ...(lead !== undefined && { leadName: lead }),
    ...(description !== undefined && { description }),
    ...(revision && { revision }),
  });
  return {
    document: { name, form, leadSessionId: session },
    text: [`created the team ${name} (revision ${form}); troupe team join ${name} <name> adds a teammate`],
  };
}
