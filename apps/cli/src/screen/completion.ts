import type { Editor } from "./editor.ts";
import type { Slash } from "./slash.ts";

/** What the word before the cursor could become. */
export interface Completion {
  /** Where the word begins in the text. */
  readonly from: number;
  readonly options: readonly Slash[];
  readonly selected: number;
}

/** What can be completed. */
export interface Completable {
  readonly commands: readonly Slash[];
  readonly models: readonly Slash[];
  /** By their types: each is named as `@agent-TYPE`. */
  readonly agents: readonly Slash[];
  /** Paths from the folder on; undefined while they are not known. */
  readonly files: readonly string[] | undefined;
}

/** Of the files that match, so many are offered. */
const mostFiles = 24;

/** Whether files are wanted: a word that begins with `@` stands before the cursor. */
export const wantsFiles = ({ text, at }: Editor): boolean => fileWord.test(text.slice(0, at));

const fileWord = /(?:^|\s)@(\S*)$/;

export function completionFor({ text, at }: Editor, known: Completable): Completion | undefined {
  const { commands, models, agents, files = [] } = known;
  const before = text.slice(0, at);
  const beginning = (options: readonly Slash[], begun: string) =>
    completion(
      at - begun.length,
      options.filter(({ name }) => name.startsWith(begun)),
    );
  const [, command] = /^\/(\S*)$/.exec(before) ?? [];
  if (command !== undefined) return beginning(commands, command);
  const [, model] = /^\/model\s+(\S*)$/.exec(before) ?? [];
  if (model !== undefined) return beginning(models, model);
  const [, word] = fileWord.exec(before) ?? [];
  if (word === undefined) return undefined;
  return completion(at - word.length, [...agentsFor(word, agents), ...matching(word, files)]);
}

/** How many agents stand above the files, where nothing says that one is meant. */
const fewAgents = 3;

/** The agents whose type begins as a word; once that is `agent`, all that it can become. */
function agentsFor(word: string, agents: readonly Slash[]): readonly Slash[] {
  const begun = word.toLowerCase();
  if (begun === "") return [];
  const named = agents.map(({ name, summary }) => ({ name: `agent-${name}`, summary }));
  const isMeant = begun.startsWith("agent");
  const found = named.filter(({ name }) => name.toLowerCase().startsWith(isMeant ? begun : `agent-${begun}`));
  return isMeant ? found : found.slice(0, fewAgents);
}

const completion = (from: number, options: readonly Slash[]): Completion | undefined =>
  options.length === 0 ? undefined : { from, options, selected: 0 };

/** The best matches: in the name of the file first, then anywhere, then letter by letter. */
function matching(word: string, files: readonly string[]): readonly Slash[] {
  const wanted = word.toLowerCase();
  const letters = [...wanted].map((letter) => letter.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const loose = new RegExp(letters.join(".*"));
  const ranked = files.flatMap((file) => {
    const lower = file.toLowerCase();
    const name = lower.slice(lower.lastIndexOf("/", lower.length - 2) + 1);
    const rank = name.startsWith(wanted)
      ? 0
      : lower.startsWith(wanted)
        ? 1
        : lower.includes(wanted)
          ? 2
          : loose.test(lower)
            ? 3
            : 4;
    return rank === 4 ? [] : [{ file, rank }];
  });
  return ranked
    .sort((a, b) => a.rank - b.rank || a.file.length - b.file.length || (a.file < b.file ? -1 : 1))
    .slice(0, mostFiles)
    .map(({ file }) => ({ name: file, summary: "" }));
}

/** The text with the selected option in the place of the word. */
export function completed({ text, at }: Editor, { from, options, selected }: Completion): Editor {
  const name = options[selected]?.name ?? "";
  const space = name.endsWith("/") ? "" : " ";
  return {
    text: text.slice(0, from) + name + space + text.slice(at).replace(/^ /, ""),
    at: from + name.length + space.length,
  };
}
