import { stat } from "node:fs/promises";
import { relative, sep } from "node:path";
import { messageOf } from "@troupe/protocol";
import { timeLimit } from "@troupe/store";
import { z } from "zod";
import { placeOf } from "../agent/place.ts";
import { openRegular } from "../agent/regular-file.ts";
import { bounded, failed, said } from "../loop/outcome.ts";
import type { Tool } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import { alternativesOf, pathPattern } from "../path-pattern.ts";
import { fileKind, fileKinds } from "./file-kinds.ts";
import { hitLines } from "./hit-lines.ts";
import { openTextSearch, type TextSearch } from "./text-search.ts";
import { type SearchDeps, type Searcher, searchMs, type WalkDeps, walk, whatIsSeen } from "./walk.ts";

const maxFileBytes = 5 * 1024 * 1024;
const maxFileMs = 1_000;
const lines = z.int().min(0).max(100).optional();

const Input = z.object({
  pattern: z.string().min(1).describe("A JavaScript regular expression."),
  path: z.string().optional().describe("The file or directory to search; default: the working directory."),
  glob: z.string().optional().describe("Search only files that match this glob, such as `*.ts` or `src/**/*.{js,ts}`."),
  type: z
    .string()
    .optional()
    .describe(`Search only files of this type: ${fileKinds.join(", ")}.`),
  output_mode: z
    .enum(["content", "files_with_matches", "count"])
    .default("files_with_matches")
    .describe("content: matching lines; files_with_matches: matching files; count: matching lines per file."),
  "-B": lines.describe("With content: lines to show before each match."),
  "-A": lines.describe("With content: lines to show after each match."),
  "-C": lines.describe("With content: lines to show before and after each match."),
  "-n": z.boolean().default(true).describe("With content: show line numbers."),
  "-i": z.boolean().default(false).describe("Ignore case."),
  multiline: z.boolean().default(false).describe("Let a match span lines; . matches line ends too."),
  head_limit: z.int().min(0).default(250).describe("Show at most this many lines of the result; 0: as many as fit."),
  offset: z.int().min(0).default(0).describe("Skip this many lines of the result first."),
});

/** Finds text in files. */
export const grepTool = (deps: SearchDeps): Tool<Searcher> =>
  typedTool({
    name: "Grep",
    description:
      "Searches files line by line with a regular expression. Binary files, files above 5 MB, links and files that git ignores are skipped. " +
      "output_mode selects the result: matching files (newest first), matching lines, or counts.",
    input: Input,
    isRead: true,
    reaches: ({ path = "." }, cwd) => [{ kind: "read", path: placeOf({ ...deps, cwd }, path) }],
    run: async (input, { signal, agent }) => {
      const root = placeOf({ ...deps, cwd: agent.cwd }, input.path ?? ".");
      const found = await stat(root).catch(() => undefined);
      if (!found) return failed(`${root} does not exist; name a file or directory that exists.`);
      const isKind = input.type === undefined ? () => true : fileKind(input.type);
      if (!isKind) return failed(`The type ${input.type} is unknown; use glob, or one of ${fileKinds.join(", ")}.`);
      let search: TextSearch;
      try {
        search = openTextSearch(input.pattern, input.multiline, input["-i"], maxFileMs);
      } catch (error) {
        return failed(`The pattern is not a valid JavaScript regular expression: ${messageOf(error)}`);
      }
      const isNamed = named(input.glob, root);
      const enough = AbortSignal.any([signal, timeLimit(searchMs)]);
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
      try {
        for await (const path of found.isDirectory() ? filesBelow(root, whatIsSeen(deps, agent), enough) : [root]) {
          if (!isKind(path) || !isNamed(path)) continue;
          const text = await textOf(path);
          if (text === undefined) large += 1;
          if (!text) continue;
          const hits = await search.hitsIn(text.text, enough);
          if (!hits) {
            if (!enough.aborted)
              notes.push(`the pattern took too long on ${path}, and the search stopped there; use a simpler pattern`);
            break;
          }
          if (hits.length === 0) continue;
          const lines = hitLines(nameOf(path, agent.cwd), text.text, hits, layout);
          results.push({ at: text.at, lines });
          shown += lines.length;
          if (shown > end && !isByTime) break;
        }
      } finally {
        await search.close();
      }
      if (enough.aborted) notes.push("the search took too long and was stopped; search a smaller directory");
      if (large > 0) notes.push(`${large} files above 5 MB were skipped; search them with Bash`);
      if (isByTime) results.sort((one, other) => other.at - one.at);
      const all = results.flatMap((result) => result.lines);
      if (all.length > end) notes.unshift(`there is more; continue with offset ${end}`);
      const words = all.slice(input.offset, end).join("\n") || "No matches.";
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
