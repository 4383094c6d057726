import { backendOf, codecFor, isUnread, type Problem, type Revision } from "@troupe/protocol";

/** The adapter's answer to `validate`. */
export interface Verdict {
  readonly valid: boolean;
  readonly problems: readonly Problem[];
  readonly normalized?: unknown;
}

export type DocumentKind = "config" | "task" | "inbox" | "message" | "agentDef";

/** Problems that every reader tolerates, so that they make no document invalid. */
const isBorne = ({ code }: Problem): boolean => code === "field_alias";

/** Validates one document as the store would read it. Undefined for a kind of another level. */
export function validate(kind: DocumentKind, text: string, revision: Revision, name?: string): Verdict | undefined {
  const codec = codecFor(revision);
  if (kind === "config") {
    const { value, problems } = codec.readTeam(text, name);
    const members = value?.members.map((member) => ({ ...member, backendType: backendOf(member) }));
    return verdict(problems, value && { ...value, members });
  }
  if (kind === "task") {
    const { value, problems } = codec.readTask(text, name ?? stemIn(text));
    return verdict(problems, value);
  }
  if (kind === "inbox") {
    const { entries, raw, problems } = codec.readInbox(text);
    return verdict(problems, raw && entries.map((entry) => ({ ...entry, read: !isUnread(entry) })));
  }
  if (kind === "message") {
    const read = codec.readBody(text);
    if (read.kind === "message") return verdict(read.problems, read.body);
    if (read.kind === "invalid") return { valid: false, problems: read.problems };
    return verdict([], null);
  }
  return undefined;
}

const verdict = (problems: readonly Problem[], normalized: unknown): Verdict => ({
  valid: normalized !== undefined && problems.every(isBorne),
  problems,
  ...(normalized !== undefined && { normalized }),
});

/** Without a file there is no file name to compare, so any task id is accepted. */
function stemIn(text: string): string {
  try {
    return String((JSON.parse(text) as { id?: unknown }).id);
  } catch {
    return "1";
  }
}
