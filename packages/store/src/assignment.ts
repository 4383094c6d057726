import { type Codec, type EntryDraft, leadOf, type Member, type Task, type TeamConfig } from "@troupe/protocol";
import { assignmentBody, memberOf } from "@troupe/protocol/rules";

export interface Assigning {
  readonly team: TeamConfig;
  readonly codec: Pick<Codec, "announcesOwnTasks">;
  readonly owner: string;
  /** The lead, unless it is named. */
  readonly by: string | undefined;
  /** ISO 8601 in UTC. */
  readonly at: string;
}

/** The message that tells a new owner of its task; undefined where nobody is to be told. */
export function assignmentOf(
  task: Task,
  { team, codec, owner, by, at }: Assigning,
): { readonly from: Member; readonly to: Member; readonly content: EntryDraft["content"] } | undefined {
  const from = by === undefined ? leadOf(team) : memberOf(team, by);
  const to = memberOf(team, owner);
  if (!from || !to || (from === to && !codec.announcesOwnTasks)) return undefined;
  return { from, to, content: { body: assignmentBody(task, { by: from.name, at }) } };
}
