import { lstat, realpath } from "node:fs/promises";
import { z } from "zod";
import type { Tool } from "../loop/tool.ts";
import { failed, said } from "./outcome.ts";
import { type PlaceDeps, placeOf } from "./place.ts";
import { openRegular } from "./regular-file.ts";
import { digestOf, type SeenFiles, whyUnseen } from "./seen-files.ts";
import { maxTextBytes, putFile } from "./text-file.ts";
import { typedTool } from "./typed-tool.ts";

export interface WriteDeps extends PlaceDeps {
  readonly seen: SeenFiles;
  readonly newId: () => string;
}

const Input = z.object({
  file_path: z.string().min(1).describe("The file; an absolute path is best."),
  content: z.string().describe("The whole new content."),
});

/** Makes a file, or replaces one that was read. */
export const writeTool = (deps: WriteDeps): Tool =>
  typedTool({
    name: "Write",
    description:
      "Writes a whole file, and the directories above it. A file that exists must have been read, and not have changed since; to change a part " +
      "of it, use Edit.",
    input: Input,
    reaches: ({ file_path }) => [{ kind: "write", path: placeOf(deps, file_path) }],
    run: async ({ file_path, content }) => {
      const path = placeOf(deps, file_path);
      const bytes = Buffer.from(content);
      const entry = await lstat(path).catch(() => undefined);
      const real = await realpath(path).catch(() => undefined);
      if (entry && real === undefined)
        return failed(`${path} is a link that leads nowhere; write the file it should lead to.`);
      if (real === undefined) {
        await putFile(path, bytes, deps.newId);
        deps.seen.saw(await realpath(path), digestOf(bytes));
        return said(`Wrote ${path}, a new file.`);
      }
      const opened = await openRegular(real);
      if ("reason" in opened) return failed(opened.reason);
      const { file, stats } = opened;
      try {
        if (stats.size > maxTextBytes)
          return failed(`${path} has more than ${maxTextBytes} bytes; replace it by Bash.`);
        const unseen = whyUnseen(deps.seen, path, real, digestOf(await file.readFile()));
        if (unseen !== undefined) return failed(unseen);
      } finally {
        await file.close();
      }
      await putFile(real, bytes, deps.newId, stats);
      deps.seen.saw(real, digestOf(bytes));
      return said(`Wrote ${path}.`);
    },
  });
