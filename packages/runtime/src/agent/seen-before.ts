import type { FrozenMessage } from "../model/frozen.ts";
import type { Block } from "../model/model.ts";
import { type HomeDeps, type Located, placeOf } from "./place.ts";
import type { SeenFiles } from "./seen-files.ts";
import { readTextFile } from "./text-file.ts";

/**
 * Tells from a conversation which files its agent has seen, for an agent that goes on in another
 * process: those of which all that it was shown, with all that it changed since, is what stands
 * there now. Where that cannot be told, as of a file that was read in part, it reads again.
 */
export async function recallSeen(
  seen: SeenFiles,
  messages: readonly FrozenMessage[],
  place: HomeDeps & Located,
): Promise<void> {
  for (const [path, text] of shownIn(messages, place)) {
    const file = await readTextFile(path).catch(() => undefined);
    if (file && !("reason" in file) && isSame(file.text, text)) seen.saw(file.path, file.digest);
  }
}

/** The content of each file, as far as the conversation tells. */
function shownIn(messages: readonly FrozenMessage[], place: HomeDeps & Located): ReadonlyMap<string, string> {
  const calls = new Map<unknown, Block>();
  const shown = new Map<string, string>();
  for (const json of messages.flatMap(({ blocks }) => blocks)) {
    const block: Block = JSON.parse(json);
    if (block.type === "tool_use") calls.set(block["id"], block);
    const call = block.type === "tool_result" && !block["is_error"] ? calls.get(block["tool_use_id"]) : undefined;
    const input = (call?.["input"] ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof input["file_path"] !== "string") continue;
    const path = placeOf(place, input["file_path"]);
    const text = afterCall(String(call?.["name"]), input, block, shown.get(path));
    if (text !== undefined) shown.set(path, text);
  }
  return shown;
}

/**
 * The content of a file after a call that succeeded; undefined where the call tells nothing. A
 * wrong guess is not what stands there.
 */
function afterCall(
  name: string,
  { content, old_string, new_string }: Readonly<Record<string, unknown>>,
  result: Block,
  before: string | undefined,
): string | undefined {
  if (name === "Write") return plain(content);
  if (name === "Edit") return before?.replaceAll(plain(old_string), () => plain(new_string));
  return name === "Read" ? wholeText((result["content"] as readonly Block[])[0]) : undefined;
}

/** A model is shown no carriage returns. */
const plain = (text: unknown): string => String(text).replaceAll("\r\n", "\n");

/** Nor is it shown whether the last line ends. */
const isSame = (file: string, shown: string): boolean => withoutEnd(plain(file)) === withoutEnd(shown);
const withoutEnd = (text: string): string => text.replace(/\n$/, "");

/** The text of a file that was shown from its first line to its last. */
function wholeText(block: Block | undefined): string | undefined {
  const lines = String(block?.["text"]).split("\n");
  const isWhole = lines.every((line, at) => line.startsWith(`${String(at + 1).padStart(6)}\t`));
  return isWhole ? lines.map((line) => line.slice(line.indexOf("\t") + 1)).join("\n") : undefined;
}
