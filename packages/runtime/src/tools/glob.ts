import { lstat, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { timeLimit } from "@troupe/store";
import { z } from "zod";
import { placeOf } from "../agent/place.ts";
import { failed, said } from "../loop/outcome.ts";
import type { Tool } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import { alternativesOf, pathPattern } from "../path-pattern.ts";
import { type SearchDeps, type Searcher, searchMs, walk, whatIsSeen } from "./walk.ts";

const maxShown = 100;

const Input = z.object({
  pattern: z.string().min(1).describe("A glob pattern, such as `src/**/*.ts` or `*.{js,mjs}`."),
  path: z.string().optional().describe("The directory to search; default: the working directory."),
});

/** The tool Glob: finds files by their names. */
export const globTool = (deps: SearchDeps): Tool<Searcher> =>
  typedTool({
    name: "Glob",
    description:
      `Finds files by a glob pattern: ** matches any directories, * and ? match parts of a name. Shows at most ${maxShown} files, ` +
      "newest first. Files that git ignores are left out, unless the pattern or path starts inside an ignored directory.",
    input: Input,
    isRead: true,
    reaches: (input, cwd) => [{ kind: "read", path: startOf({ ...deps, cwd }, input).root }],
    run: async (input, { signal, agent }) => {
      const { root, rest } = startOf({ ...deps, cwd: agent.cwd }, input);
      const isDirectory = await stat(root).then(
        (found) => found.isDirectory(),
        () => false,
      );
      if (!isDirectory) return failed(`${root} is not a directory; name one that exists.`);
      const patterns = alternativesOf(rest).map(pathPattern);
      const enough = AbortSignal.any([signal, timeLimit(searchMs)]);
      const found: { readonly path: string; readonly at: number }[] = [];
      for await (const { path } of walk(root, whatIsSeen(deps, agent), enough)) {
        const names = relative(root, path).split(sep);
        if (!patterns.some((pattern) => pattern(names))) continue;
        found.push({
          path,
          at: await lstat(path).then(
            ({ mtimeMs }) => mtimeMs,
            () => 0,
          ),
        });
      }
      found.sort((one, other) => other.at - one.at);
      const lines = found.slice(0, maxShown).map(({ path }) => path);
      if (found.length > maxShown) lines.push(`… [${maxShown} of ${found.length} files; use a narrower pattern]`);
      if (enough.aborted) lines.push("… [the search took too long and was stopped; search a smaller directory]");
      return said(lines.join("\n") || `No file below ${root} matches ${rest}.`);
    },
  });

/**
 * A pattern begins where its first name with a sign begins, so that nothing else is gone through.
 */
function startOf(place: Parameters<typeof placeOf>[0], { pattern, path = "." }: z.output<typeof Input>) {
  const names = pattern.split("/");
  const sign = names.findIndex((name) => /[*?[{\\]/.test(name));
  const cut = sign < 0 ? names.length - 1 : sign;
  const fixed = names.slice(0, cut).join("/");
  const start = pattern.startsWith("/") || pattern.startsWith("~/") ? fixed || "/" : join(path, fixed);
  return { root: placeOf(place, start), rest: names.slice(cut).join("/") };
}
