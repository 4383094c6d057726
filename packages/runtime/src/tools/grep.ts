import { stat } from "node:fs/promises";
import { relative, sep } from "node:path";
import { z } from "zod";
import type { Tool } from "../loop/tool.ts";
import { alternativesOf, pathPattern } from "../path-pattern.ts";
import { fileKind, fileKinds } from "./file-kinds.ts";
import { hitLines } from "./hit-lines.ts";
import { bounded, failed, said } from "./outcome.ts";
import { type PlaceDeps, placeOf } from "./place.ts";
import { openRegular } from "./regular-file.ts";
import { type Search, textSearch } from "./text-search.ts";
import { typedTool } from "./typed-tool.ts";
import { searchMs, type WalkDeps, walk } from "./walk.ts";

export interface GrepDeps extends PlaceDeps, WalkDeps {}

const maxFileBytes = 5 * 1024 * 1024;
const maxFileMs = 1_000;
const lines = z.int().min(0).max(100).optional();

const Input = z.object({
  pattern: z.string().min(1).describe("A regular expression of JavaScript."),
  path: z.string().optional().describe("The file or directory to search; the working directory if it is not said."),
  glob: z.string().optional().describe("Only files that fit, such as `*.ts` or `src/**/*.{js,ts}`."),
  type: z
    .string()
    .optional()
    .describe(`Only files of this kind: ${fileKinds.join(", ")}.`),
  output_mode: z
    .enum(["content", "files_with_matches", "count"])
    .default("files_with_matches")
    .describe("The lines, the files, or how many lines in each file."),
  "-B": lines.describe("With content: how many lines before each hit to show."),
  "-A": lines.describe("With content: how many lines after each hit to show."),
  "-C": lines.describe("With content: how many lines before and after each hit to show."),
  "-n": z.boolean().default(true).describe("With content: show the numbers of the lines."),
  "-i": z.boolean().default(false).describe("Ignore case."),
  multiline: z
    .boolean()
    .default(false)
    .describe("A hit may go on over several lines, and . stands for their ends too."),
  head_limit: z.int().min(0).default(250).describe("How many lines of the result to show; 0 for as many as fit."),
  offset: z.int().min(0).default(0).describe("How many lines of the result to leave out before that."),
});

/** Finds text in files. */
export const grepTool = (deps: GrepDeps): Tool =>
  typedTool({
    name: "Grep",
    description:
      "Searches files, line by line, with a regular expression. Binary files, files above 5 MB, links and what git ignores are left out. " +
      "output_mode says what is shown: files (the newest first), lines, or numbers.",
    input: Input,
    isRead: true,
    reaches: ({ path = "." }) => [{ kind: "read", path: placeOf(deps, path) }],
    run: async (input, { signal }) => {
      const root = placeOf(deps, input.path ?? ".");
      const found = await stat(root).catch(() => undefined);
      if (!found) return failed(`${root} does not exist; name a file or directory that does.`);
      const isKind = input.type === undefined ? () => true : fileKind(input.type);
      if (!isKind) return failed(`The type ${input.type} is not known; use glob, or one of ${fileKinds.join(", ")}.`);
      let search: Search;
      try {
        search = textSearch(input.pattern, input.multiline, input["-i"], maxFileMs);
      } catch (error) {
        return failed(`The pattern is no regular expression of JavaScript: ${(error as Error).message}`);
      }
      const isNamed = named(input.glob, root);
      const enough = AbortSignal.any([signal, AbortSignal.timeout(searchMs)]);
      const layout = {
        mode: input.output_mode,
        before: input["-B"] ?? input["-C"] ?? 0,
        after: input["-A"] ?? input["-C"] ?? 0,
        isNumbered: input["-n"],
      };
      const end = input.head_limit > 0 ? input.offset + input.head_limit : maxLines;
      const results: { readonly at: number; readonly lines: readonly string[] }[] = [];
      const notes: string[] = [];
      const isByTime = input.output_mode === "files_with_matches";
      let shown = 0;
      let large = 0;
      for await (const path of found.isDirectory() ? filesBelow(root, deps, enough) : [root]) {
        if (!isKind(path) || !isNamed(path)) continue;
        const text = await textOf(path);
        if (text === undefined) large += 1;
        if (!text) continue;
        const hits = search(text.text);
        if (!hits) {
          notes.push(`the pattern takes too long on ${path}, where the search ended; write a simpler one`);
          break;
        }
        if (hits.length === 0) continue;
        const lines = hitLines(nameOf(path, deps.cwd), text.text, hits, layout);
        results.push({ at: text.at, lines });
        shown += lines.length;
        if (shown > end && !isByTime) break;
      }
      if (enough.aborted) notes.push("the search took too long and was ended; look in a smaller directory");
      if (large > 0) notes.push(`${large} files above 5 MB were left out; search them with Bash`);
      if (isByTime) results.sort((one, other) => other.at - one.at);
      const all = results.flatMap((result) => result.lines);
      if (all.length > end) notes.unshift(`there is more; go on with offset ${end}`);
      const words = all.slice(input.offset, end).join("\n") || "Nothing was found.";
      return said([bounded(words, "narrow the search"), ...notes.map((note) => `… [${note}]`)].join("\n"));
    },
  });

/** More lines than fit into any result. */
const maxLines = 20_000;

async function* filesBelow(root: string, deps: WalkDeps, signal: AbortSignal): AsyncGenerator<string> {
  for await (const { path, isLink } of walk(root, deps, signal)) if (!isLink) yield path;
}

/** As short as it can be: a tool takes it as it is. */
function nameOf(path: string, cwd: string): string {
  const within = relative(cwd, path);
  return within.startsWith("..") ? path : within;
}

/** A glob without a slash is about names, wherever the file lies. */
function named(glob: string | undefined, root: string): (path: string) => boolean {
  if (glob === undefined) return () => true;
  const patterns = alternativesOf(glob.includes("/") ? glob : `**/${glob}`).map(pathPattern);
  return (path) => {
    const names = (path === root ? path : relative(root, path)).split(sep);
    return patterns.some((pattern) => pattern(names));
  };
}

/** A text that can be searched; false for what has none, undefined for what is too large. */
async function textOf(path: string): Promise<{ readonly text: string; readonly at: number } | false | undefined> {
  const opened = await openRegular(path);
  if ("reason" in opened) return false;
  const { file, stats } = opened;
  try {
    if (stats.size > maxFileBytes) return undefined;
    const bytes = await file.readFile();
    return !bytes.subarray(0, 8_192).includes(0) && { text: bytes.toString("utf8"), at: stats.mtimeMs };
  } finally {
    await file.close();
  }
}
