import { lstat, realpath } from "node:fs/promises";
import { z } from "zod";
import { type HomeDeps, placeOf } from "../agent/place.ts";
import { openRegular } from "../agent/regular-file.ts";
import { digestOf, whyUnseen } from "../agent/seen-files.ts";
import { maxTextBytes, putFile } from "../agent/text-file.ts";
import { failed, said } from "../loop/outcome.ts";
import type { Tool } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import type { Reader } from "./read.ts";

export interface WriteDeps extends HomeDeps {
  readonly newId: () => string;
}

const Input = z.object({
  file_path: z.string().min(1).describe("The path of the file, preferably absolute."),
  content: z.string().describe("The complete new content."),
});

/** The tool Write: creates a file, or replaces one that was read. */
export const writeTool = (deps: WriteDeps): Tool<Reader> =>
  typedTool({
    name: "Write",
    description:
      "Writes a whole file and creates missing directories. You must have read an existing file, and it must not have changed since; to change " +
      "a part of it, use Edit.",
    input: Input,
    reaches: ({ file_path }, cwd) => [{ kind: "write", path: placeOf({ ...deps, cwd }, file_path) }],
    run: async ({ file_path, content }, { agent: { cwd, seen } }) => {
      const path = placeOf({ ...deps, cwd }, file_path);
      const bytes = Buffer.from(content);
      const entry = await lstat(path).catch(() => undefined);
      const real = await realpath(path).catch(() => undefined);
      if (entry && real === undefined) return failed(`${path} is a broken link; write its target instead.`);
      if (real === undefined) {
        await putFile(path, bytes, deps.newId);
        seen.saw(await realpath(path), digestOf(bytes));
        return said(`Created ${path}.`);
      }
      const opened = await openRegular(real);
      if ("reason" in opened) return failed(opened.reason);
      const { file, stats } = opened;
      try {
        if (stats.size > maxTextBytes)
          return failed(`${path} has more than ${maxTextBytes} bytes; replace it with Bash.`);
        const unseen = whyUnseen(seen, path, real, digestOf(await file.readFile()));
        if (unseen !== undefined) return failed(unseen);
      } finally {
        await file.close();
      }
      await putFile(real, bytes, deps.newId, stats);
      seen.saw(real, digestOf(bytes));
      return said(`Wrote ${path}.`);
    },
  });
