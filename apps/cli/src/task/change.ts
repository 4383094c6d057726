import { TroupeError } from "@troupe/protocol";
import type { TaskChange, TaskTies } from "@troupe/store";
import type { Call } from "../command.ts";
import { taskIdFrom } from "../open.ts";

/** The options that `task create` and `task update` share. */
export interface TaskOptions {
  readonly description?: string;
  readonly "active-form"?: string;
  readonly owner?: string;
  readonly metadata?: string;
  readonly "blocked-by"?: readonly string[];
  readonly blocks?: readonly string[];
  readonly as?: string;
}

/** Reads the texts of a task; a description of `-` is read from standard input. */
export async function wordsFrom({ options, read }: Pick<Call<object, TaskOptions>, "options" | "read">) {
  const { description, "active-form": activeForm, metadata } = options;
  return {
    ...(description !== undefined && { description: description === "-" ? await read() : description }),
    ...(activeForm !== undefined && { activeForm }),
    ...(metadata !== undefined && { metadata: objectFrom(metadata) }),
  };
}

/** Returns the subject; throws if it is empty. */
export function subjectFrom(text: string): string {
  if (text.trim() !== "") return text;
  throw new TroupeError("arguments_invalid", "the subject is empty: say what is to be done");
}

/** Reads the owner and the dependencies of a task. */
export const tiesFrom = ({ owner, blocks, "blocked-by": blockedBy }: TaskOptions): TaskTies => ({
  ...(owner !== undefined && { owner }),
  ...(blocks && { addBlocks: idsFrom(blocks) }),
  ...(blockedBy && { addBlockedBy: idsFrom(blockedBy) }),
});

/** Reads the dependencies to take away. */
export const partingsFrom = (options: {
  readonly "not-blocked-by"?: readonly string[];
  readonly "not-blocks"?: readonly string[];
}): Pick<TaskChange, "removeBlocks" | "removeBlockedBy"> => {
  const { "not-blocked-by": blockedBy, "not-blocks": blocks } = options;
  return {
    ...(blocks && { removeBlocks: idsFrom(blocks) }),
    ...(blockedBy && { removeBlockedBy: idsFrom(blockedBy) }),
  };
};

/** Splits ids that are separated by commas. */
const idsFrom = (words: readonly string[]): string[] => words.flatMap((word) => word.split(",")).map(taskIdFrom);

function objectFrom(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Text that is not JSON gets the same message as JSON that is not an object.
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new TroupeError("arguments_invalid", `--metadata needs a JSON object such as '{"effort":2}', not ${text}`);
}
