import { z } from "zod";
import { placeOf } from "../agent/place.ts";
import { digestOf, whyUnseen } from "../agent/seen-files.ts";
import { encode, putFile, readTextFile } from "../agent/text-file.ts";
import { failed, said } from "../loop/outcome.ts";
import type { Tool } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import type { Reader } from "./read.ts";
import type { WriteDeps } from "./write.ts";

const Input = z.object({
  file_path: z.string().min(1).describe("The path of the file, preferably absolute."),
  old_string: z.string().min(1).describe("The text to replace, exactly as in the file, without line numbers."),
  new_string: z.string().describe("The text to put in its place."),
  replace_all: z
    .boolean()
    .default(false)
    .describe("Replace every occurrence; if false, old_string must occur exactly once."),
});

/** The tool Edit: replaces text in a file that was read. */
export const editTool = (deps: WriteDeps): Tool<Reader> =>
  typedTool({
    name: "Edit",
    description:
      "Replaces text in a file. You must have read the file, and it must not have changed since. old_string must occur in the file exactly " +
      "once, unless replace_all is true. Line endings are kept.",
    input: Input,
    reaches: ({ file_path }, cwd) => [{ kind: "write", path: placeOf({ ...deps, cwd }, file_path) }],
    run: async ({ file_path, old_string, new_string, replace_all }, { agent: { cwd, seen } }) => {
      const path = placeOf({ ...deps, cwd }, file_path);
      if (old_string === new_string) return failed("old_string and new_string are the same; nothing would change.");
      const file = await readTextFile(path);
      if ("reason" in file) return failed(file.reason);
      const unseen = whyUnseen(seen, path, file.path, file.digest);
      if (unseen !== undefined) return failed(unseen);
      const [old, fresh] = asWritten(file.text, old_string, new_string);
      const pieces = file.text.split(old);
      const count = pieces.length - 1;
      if (count === 0) return failed(`old_string is not in ${path}; read the file again and copy the text exactly.`);
      if (count > 1 && !replace_all) {
        return failed(
          `old_string occurs ${count} times in ${path}; add surrounding text until it is unique, or set replace_all.`,
        );
      }
      const bytes = encode(pieces.join(fresh), file.encoding);
      await putFile(file.path, bytes, deps.newId, file.stats);
      seen.saw(file.path, digestOf(bytes));
      const line = (pieces[0] ?? "").split("\n").length;
      return said(count === 1 ? `Changed line ${line} of ${path}.` : `Replaced ${count} occurrences in ${path}.`);
    },
  });

/** Both texts with the line endings of the file if the old text occurs so: a model sees no \r. */
function asWritten(text: string, old: string, fresh: string): readonly [string, string] {
  const withReturns = (lines: string) => lines.replace(/\r?\n/g, "\r\n");
  const returns = text.split("\r\n").length - 1;
  const isMostlyReturns = returns > text.split("\n").length - 1 - returns;
  const ways = [[old, fresh] as const, [withReturns(old), withReturns(fresh)] as const];
  if (isMostlyReturns) ways.reverse();
  return ways.find(([wanted]) => text.includes(wanted)) ?? [old, fresh];
}
