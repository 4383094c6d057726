import { lstat, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { z } from "zod";
import type { Tool } from "../loop/tool.ts";
import { alternativesOf, pathPattern } from "../path-pattern.ts";
import { failed, said } from "./outcome.ts";
import { type PlaceDeps, placeOf } from "./place.ts";
import { typedTool } from "./typed-tool.ts";
import { searchMs, type WalkDeps, walk } from "./walk.ts";

export interface GlobDeps extends PlaceDeps, WalkDeps {}

const maxShown = 100;

const Input = z.object({
  pattern: z.string().min(1).describe("Such as `src/**/*.ts` or `*.{js,mjs}`."),
  path: z.string().optional().describe("The directory to look in; the working directory if it is not said."),
});

/** Finds files by their names. */
export const globTool = (deps: GlobDeps): Tool =>
  typedTool({
    name: "Glob",
    description:
      `Finds files whose paths fit a pattern: ** stands for any directories, * and ? for parts of a name. Shows at most ${maxShown}, the ` +
      "newest first. What git ignores is left out, unless the pattern or path begins inside it.",
    input: Input,
    isRead: true,
    reaches: (input) => [{ kind: "read", path: startOf(deps, input).root }],
    run: async (input, { signal }) => {
      const { root, rest } = startOf(deps, input);
      const isDirectory = await stat(root).then(
        (found) => found.isDirectory(),
        () => false,
      );
      if (!isDirectory) return failed(`${root} is no directory; name one that exists.`);
      const patterns = alternativesOf(rest).map(pathPattern);
      const enough = AbortSignal.any([signal, AbortSignal.timeout(searchMs)]);
      const found: { readonly path: string; readonly at: number }[] = [];
      for await (const { path } of walk(root, deps, enough)) {
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
      if (enough.aborted) lines.push("… [the search took too long and was ended; look in a smaller directory]");
      return said(lines.join("\n") || `No file below ${root} fits ${rest}.`);
    },
  });

/** A pattern begins where its first name with a sign begins, so that nothing else is gone through. */
function startOf(deps: GlobDeps, { pattern, path = "." }: z.output<typeof Input>) {
  const names = pattern.split("/");
  const sign = names.findIndex((name) => /[*?[{\\]/.test(name));
  const cut = sign < 0 ? names.length - 1 : sign;
  const fixed = names.slice(0, cut).join("/");
  const start = pattern.startsWith("/") || pattern.startsWith("~/") ? fixed || "/" : join(path, fixed);
  return { root: placeOf(deps, start), rest: names.slice(cut).join("/") };
}
