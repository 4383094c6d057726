import { z } from "zod";
import type { Tool } from "../loop/tool.ts";
import { failed, said } from "./outcome.ts";
import { type PlaceDeps, placeOf } from "./place.ts";
import { digestOf, type SeenFiles, whyUnseen } from "./seen-files.ts";
import { encode, putFile, readTextFile } from "./text-file.ts";
import { typedTool } from "./typed-tool.ts";

export interface EditDeps extends PlaceDeps {
  readonly seen: SeenFiles;
  readonly newId: () => string;
}

const Input = z.object({
  file_path: z.string().min(1).describe("The file; an absolute path is best."),
  old_string: z
    .string()
    .min(1)
    .describe("The text to replace, exactly as it stands in the file, without line numbers."),
  new_string: z.string().describe("What stands there afterwards."),
  replace_all: z.boolean().default(false).describe("Replace every place where it stands; else it must stand in one."),
});

/** Replaces text in a file that was read. */
export const editTool = (deps: EditDeps): Tool =>
  typedTool({
    name: "Edit",
    description:
      "Replaces a text in a file. The file must have been read, and not have changed since. old_string must stand in the file exactly once, " +
      "or replace_all be true. How the file ends its lines is kept.",
    input: Input,
    reaches: ({ file_path }) => [{ kind: "write", path: placeOf(deps, file_path) }],
    run: async ({ file_path, old_string, new_string, replace_all }) => {
      const path = placeOf(deps, file_path);
      if (old_string === new_string) return failed("old_string and new_string are the same; nothing would change.");
      const file = await readTextFile(path);
      if ("reason" in file) return failed(file.reason);
      const unseen = whyUnseen(deps.seen, path, file.path, file.digest);
      if (unseen !== undefined) return failed(unseen);
      const [old, fresh] = asWritten(file.text, old_string, new_string);
      const pieces = file.text.split(old);
      const count = pieces.length - 1;
      if (count === 0) return failed(`old_string does not stand in ${path}; read it again and copy the text exactly.`);
      if (count > 1 && !replace_all) {
        return failed(
          `old_string stands ${count} times in ${path}; add what is around it until it stands there once, or set replace_all.`,
        );
      }
      const bytes = encode(pieces.join(fresh), file.encoding);
      await putFile(file.path, bytes, deps.newId, file.stats);
      deps.seen.saw(file.path, digestOf(bytes));
      const line = (pieces[0] ?? "").split("\n").length;
      return said(count === 1 ? `Changed line ${line} of ${path}.` : `Changed ${count} places of ${path}.`);
    },
  });

/** A model sees no carriage returns, so both texts get the line ends of the file, where the old one then stands in it. */
function asWritten(text: string, old: string, fresh: string): readonly [string, string] {
  const withReturns = (lines: string) => lines.replace(/\r?\n/g, "\r\n");
  const returns = text.split("\r\n").length - 1;
  const isMostlyReturns = returns > text.split("\n").length - 1 - returns;
  const ways = [[old, fresh] as const, [withReturns(old), withReturns(fresh)] as const];
  if (isMostlyReturns) ways.reverse();
  return ways.find(([wanted]) => text.includes(wanted)) ?? [old, fresh];
}
