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
  /** Paths from the folder on; undefined while they are not known. */
  readonly files: readonly string[] | undefined;
}

const most = 8;

/** Whether files are wanted: a word that begins with `@` stands before the cursor. */
export const wantsFiles = ({ text, at }: Editor): boolean => fileWord.test(text.slice(0, at));

const fileWord = /(?:^|\s)@(\S*)$/;

export function completionFor({ text, at }: Editor, { commands, files }: Completable): Completion | undefined {
  const before = text.slice(0, at);
  const [, command] = /^\/(\S*)$/.exec(before) ?? [];
  if (command !== undefined) {
    const options = commands.filter(({ name }) => name.startsWith(command));
    return completion(1, options);
  }
  const [, word] = fileWord.exec(before) ?? [];
  if (word === undefined || !files) return undefined;
  return completion(
    at - word.length,
    matching(word, files).map((name) => ({ name, summary: "" })),
  );
}

const completion = (from: number, options: readonly Slash[]): Completion | undefined =>
  options.length === 0 ? undefined : { from, options: options.slice(0, most), selected: 0 };

/** The best matches: in the name of the file first, then anywhere, then letter by letter. */
function matching(word: string, files: readonly string[]): readonly string[] {
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
    .slice(0, most)
    .map(({ file }) => file);
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
