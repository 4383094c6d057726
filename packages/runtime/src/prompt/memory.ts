/** Where an agent's memory is kept. */
type MemoryScope = "user" | "project" | "local";

/** An agent's MEMORY.md; the text is empty where it has not been written yet. */
export interface Memory {
  readonly scope: MemoryScope;
  readonly path: string;
  readonly text: string;
  /** Why it cannot be read, although something is there. */
  readonly fault?: string;
}

/** The part of its memory that an agent sees at once: whichever bound comes first. */
export const memoryLimits = { lines: 200, bytes: 25_000 };

const reach: Record<MemoryScope, string> = {
  user: "It applies to all projects of this user.",
  project: "It applies to this project and is shared through its repository.",
  local: "It applies to this project on this machine and is not shared.",
};

/**
 * The part of the system prompt that shows an agent its memory, and asks it to tidy up where not
 * all of it is shown.
 */
export function memorySection({ scope, path, text, fault }: Memory): string {
  const lines = text.trimEnd().split("\n");
  const shown = beginning(lines.slice(0, memoryLimits.lines).join("\n"));
  const size = `${lines.length} lines and ${Buffer.byteLength(text.trimEnd())} bytes`;
  const most = `${memoryLimits.lines} lines and ${memoryLimits.bytes} bytes`;
  const notice = [
    `Only the beginning of ${path} is shown above: it has ${size}, and at most ${most} are shown.`,
    "Clean it up: shorten what is long, remove what is no longer true, and move details into files beside it.",
  ].join("\n");
  const intro = `What you learned in earlier sessions is in ${path}. ${reach[scope]} Keep it short and correct.`;
  return [
    `# Your memory\n\n${intro}`,
    fault === undefined ? (text.trim() === "" ? "It is still empty." : shown) : `It cannot be read: ${fault}.`,
    ...(shown === lines.join("\n") ? [] : [notice]),
  ].join("\n\n");
}

/** As many whole lines as fit; of a first line that is too long alone, as many whole characters. */
function beginning(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= memoryLimits.bytes) return text;
  const fitting = new TextDecoder().decode(bytes.subarray(0, memoryLimits.bytes), { stream: true });
  const isWhole = text.charAt(fitting.length) === "\n";
  const end = isWhole ? fitting.length : fitting.lastIndexOf("\n");
  return end > 0 ? fitting.slice(0, end) : fitting;
}
