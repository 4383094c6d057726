import { TroupeError } from "@troupe/protocol";
import type { TaskChange } from "@troupe/store";
import type { Call } from "../command.ts";
import { taskIdFrom } from "../open.ts";

/** What the options of `task create` and `task update` have in common. */
export interface TaskOptions {
  readonly description?: string;
  readonly "active-form"?: string;
  readonly owner?: string;
  readonly metadata?: string;
  readonly "blocked-by"?: readonly string[];
  readonly blocks?: readonly string[];
  readonly as?: string;
}

/** The words of a task; a description of `-` is read from standard input. */
export async function wordsFrom({ options, read }: Pick<Call<object, TaskOptions>, "options" | "read">) {
  const { description, "active-form": activeForm, metadata } = options;
  return {
    ...(description !== undefined && { description: description === "-" ? await read() : description }),
    ...(activeForm !== undefined && { activeForm }),
    ...(metadata !== undefined && { metadata: objectFrom(metadata) }),
  };
}

/** Returns the subject; a task without one would be a line without words. */
export function subjectFrom(text: string): string {
  if (text.trim() !== "") return text;
  throw new TroupeError("arguments_invalid", "the subject is empty: say what is to be done");
}

/** What ties a task to members and to other tasks. */
export const tiesFrom = ({ owner, blocks, "blocked-by": blockedBy }: TaskOptions): TaskChange => ({
  ...(owner !== undefined && { owner }),
  ...(blocks && { addBlocks: idsFrom(blocks) }),
  ...(blockedBy && { addBlockedBy: idsFrom(blockedBy) }),
});

/** Several ids in one word stand with commas between. */
const idsFrom = (words: readonly string[]): string[] => words.flatMap((word) => word.split(",")).map(taskIdFrom);

function objectFrom(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The same words fit whatever else is no object.
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new TroupeError("arguments_invalid", `--metadata wants a JSON object such as '{"effort":2}', not ${text}`);
}
