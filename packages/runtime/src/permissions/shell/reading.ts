import type { Part } from "./part.ts";
import { isKnown, literal, type Word } from "./script.ts";

/** How a program that only reads is to be called for nobody to be asked. */
interface Reading {
  /** The words that begin with `-` and are known to do no harm. */
  readonly options: RegExp;
  /** Which of the other words may be files: all, none, or all but the first. */
  readonly files: "all" | "none" | "rest";
  /** More of them, and one is written to. */
  readonly most?: number;
  /** What no word may hold. */
  readonly without?: RegExp;
}

/** Of these programs, no option writes, runs or reads a file that is not a word of its own. */
const any = /^-[A-Za-z0-9]+$|^--(?!fi)[a-z][a-z-]*$/;
const none = /^$/;

const readings: Readonly<Record<string, Reading>> = {
  ...all(["ls", "cat", "head", "tail", "wc", "nl", "stat", "tac", "cmp", "comm", "realpath", "readlink"], any, "all"),
  ...all(["pwd", "true", "false", "whoami", "id", "uname", "nproc", "arch", "echo", "seq", "sleep", "tr"], any, "none"),
  ...all(["basename", "dirname", "which", "type"], any, "none"),
  ...all(["md5sum", "sha1sum", "sha256sum", "cksum", "cd"], none, "all"),
  ...all(
    ["grep", "egrep", "fgrep"],
    /^-[EFGPcilLnoqsvwxhHbzrmABCe0-9]+$|^--(?:include|exclude|exclude-dir|color)=[^/]*$/,
    "rest",
  ),
  rg: {
    options:
      /^-[abcFHIilnNopPqsStTuUvwx0-9ABCmge]+$|^--(?:hidden|no-ignore|count|json|no-heading|multiline|(?:type|glob|max-count|context|color)=[^/]*)$/,
    files: "rest",
  },
  printf: { options: none, files: "none" },
  test: { options: any, files: "all", without: /[$`]/ },
  "[": { options: any, files: "all", without: /[$`]/ },
  command: { options: /^-[vV]$/, files: "none" },
  date: { options: /^-(?:u|R|I[a-z]*)$/, files: "none", without: /^[^-+]/ },
  diff: { options: /^-[uqbwBiycU0-9]+$/, files: "all" },
  du: { options: /^-[achkmsxb0-9]+$|^--max-depth=[0-9]+$/, files: "all" },
  file: { options: /^-[bi]+$/, files: "all" },
  cut: { options: /^-(?:[bcfs]|[bcf][0-9,-]+|d.?)$/, files: "all" },
  uniq: { options: /^-[cdiuz]+$/, files: "all", most: 1 },
  sort: { options: /^-[bdfgiMhnRrVcCsuz]+$|^-k[0-9.,bdfgnr]+$|^-t.$/, files: "all" },
  tree: { options: /^-[adfpshDFL0-9]+$/, files: "all" },
  find: {
    options:
      /^-(?:i?name|i?path|i?wholename|i?regex|type|size|empty|(?:max|min)depth|[acm](?:time|min)|newer|print0?|not|a|o|and|or|prune|perm|user|group)$/,
    files: "all",
  },
};

function all(names: readonly string[], options: RegExp, files: Reading["files"]): Readonly<Record<string, Reading>> {
  return Object.fromEntries(names.map((name) => [name, { options, files }]));
}

const gitOptions =
  /^-(?:[0-9]+|[nsbpuvar]|vv|sb)$|^-[SG]\w+$|^--(?:oneline|stat|graph|all|decorate|name-only|name-status|cached|staged|short|porcelain|branch|abbrev-commit|no-color|numstat|shortstat|follow|show-toplevel|abbrev-ref|show-current|is-inside-work-tree|first-parent|merges|no-merges|reverse|no-ext-diff|no-textconv|(?:since|until|after|before|author|grep|pretty|format|max-count|diff-filter|date)=.*)$/;
/** What looks into a repository; of those in the second half a word would be a change. */
const gitLooks = new Set(
  "status log diff show blame rev-parse ls-files ls-tree describe shortlog merge-base rev-list".split(" "),
);
const gitLists = new Set("branch tag remote".split(" "));
const versioned = new Set(
  "node npm pnpm yarn git python python3 go cargo rustc java ruby deno bun tsc make gcc docker".split(" "),
);

/** The words of a command that only reads which may be files; undefined for any other command, and for one that is not certain. */
export function filesRead(part: Part, cwd: string): readonly Word[] | undefined {
  const [first, ...rest] = part.words;
  if (!first || !isPlain(first) || part.fed.some((word) => !isKnown(word))) return undefined;
  if (rest.length === 1 && rest[0]?.raw === "--version" && versioned.has(first.text)) return [];
  if (first.text === "git") return part.cwds?.length === 1 && part.cwds[0] === cwd ? filesOfGit(rest) : undefined;
  if (first.text === "sed") return filesOfSed(rest);
  const reading = Object.hasOwn(readings, first.text) ? readings[first.text] : undefined;
  if (!reading) return undefined;
  const { options, files, most = Number.POSITIVE_INFINITY, without } = reading;
  if (without && rest.some(({ text }) => without.test(text))) return undefined;
  const cut = cutOptions(rest, options, options === any);
  if (!cut || cut.operands.length > most) return undefined;
  if (files === "none") return rest.every(isKnown) ? cut.operands.filter(({ isGlob }) => isGlob) : undefined;
  // With `-e` the pattern is no word of its own, so that the first word may be a file already.
  const hasPattern = files === "rest" && !cut.found.some((option) => /^-\w*e/.test(option));
  return [here, ...(hasPattern ? cut.operands.slice(1) : cut.operands)];
}

/** Whoever is told no file looks at the directory it stands in. */
const here = literal(".");

const isPlain = (word: Word): boolean => isKnown(word) && !word.isGlob && !word.text.includes("/");

/** Options and other words; undefined when an option is not among those that do no harm, or may yet come out of a glob. */
function cutOptions(words: readonly Word[], options: RegExp, isAnyOption: boolean) {
  const found: string[] = [];
  const operands: Word[] = [];
  let isOver = false;
  for (const word of words) {
    if (word.isGlob && /^[*?[]/.test(word.text) && !isOver && !isAnyOption) return undefined;
    if (!isOver && word.text === "--") isOver = true;
    else if (isOver || !/^-./.test(word.text)) operands.push(word);
    else if (isKnown(word) && options.test(word.text)) found.push(word.text);
    else return undefined;
  }
  return { found, operands };
}

function filesOfGit(words: readonly Word[]): readonly Word[] | undefined {
  const [subcommand, ...rest] = words.filter(({ text }, at) => at > 0 || !/^(?:--no-pager|-P)$/.test(text));
  if (!subcommand || !isKnown(subcommand)) return undefined;
  const cut = cutOptions(rest, gitOptions, false);
  if (!cut) return undefined;
  if (gitLooks.has(subcommand.text)) return [here, ...cut.operands];
  return gitLists.has(subcommand.text) && cut.operands.length === 0 ? [here] : undefined;
}

/** Only what prints lines by their numbers: a script of sed can write files and run programs. */
function filesOfSed(words: readonly Word[]): readonly Word[] | undefined {
  const [quiet, script, ...files] = words;
  if (quiet?.text !== "-n" || !script || !isKnown(script) || !/^[0-9]+(?:,(?:[0-9]+|\$))?p$/.test(script.text))
    return undefined;
  return files.some(({ text }) => text.startsWith("-") || /^[*?[]/.test(text)) ? undefined : files;
}

const editing = new Set("mkdir touch rmdir rm mv cp".split(" "));

/** The files that one of the few commands for moving files around would change, which the mode acceptEdits lets pass as it does edits. */
export function filesChanged(part: Part): readonly Word[] | undefined {
  const [first, ...rest] = part.words;
  if (!first || !isPlain(first) || !editing.has(first.text)) return undefined;
  const cut = cutOptions(rest, /^-[a-zA-Z]+$/, false);
  if (!cut || cut.operands.length === 0) return undefined;
  // These follow links below a directory, or put its content into another one, whatever names there are in it.
  if (cut.found.some((option) => /[LHtT]/.test(option)) || cut.operands.some(({ text }) => /\/\.\.?$/.test(text)))
    return undefined;
  return cut.operands;
}

/** The operands of an `rm`, by whatever path it is called. */
export function filesRemoved({ words }: Part): readonly Word[] {
  const [first, ...rest] = words;
  return /(?:^|\/)(?:rm|unlink|shred)$/.test(first?.text ?? "") ? rest.filter(({ text }) => !text.startsWith("-")) : [];
}
