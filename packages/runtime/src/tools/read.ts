import { type FileHandle, realpath } from "node:fs/promises";
import { z } from "zod";
import type { Tool, ToolOutcome } from "../loop/tool.ts";
import { readLines } from "./lines.ts";
import { failed, said } from "./outcome.ts";
import { type PlaceDeps, placeOf } from "./place.ts";
import { openRegular } from "./regular-file.ts";
import { digestOf, type SeenFiles } from "./seen-files.ts";
import { encodingOf, maxTextBytes } from "./text-file.ts";
import { typedTool } from "./typed-tool.ts";

export interface ReadDeps extends PlaceDeps {
  readonly seen: SeenFiles;
}

const usualLines = 2_000;
const lineCharacters = 2_000;
const characters = 100_000;
/** The API takes images of five megabytes, counted in base64. */
const maxImageBytes = 3_750_000;

const Input = z.object({
  file_path: z.string().min(1).describe("The file; an absolute path is best."),
  offset: z.int().min(0).optional().describe("The number of the first line to read, counted from 1."),
  limit: z.int().min(1).optional().describe(`How many lines to read; ${usualLines} if it is not said.`),
});

/** Shows a file to the model. */
export const readTool = (deps: ReadDeps): Tool =>
  typedTool({
    name: "Read",
    description:
      `Reads a file. Text comes with line numbers as from cat -n: at most ${usualLines} lines from the start, or those that offset and limit ` +
      `name; lines longer than ${lineCharacters} characters are cut. PNG, JPEG, GIF and WebP files are shown as images. Directories are ` +
      "listed with Glob or ls.",
    input: Input,
    isRead: true,
    reaches: ({ file_path }) => [{ kind: "read", path: placeOf(deps, file_path) }],
    run: async (input, { signal }) => {
      const path = placeOf(deps, input.file_path);
      const opened = await openRegular(path);
      if ("reason" in opened) return failed(opened.reason);
      const { file, stats } = opened;
      try {
        const start = (await file.read(Buffer.alloc(8_192), 0, 8_192, 0)) as { buffer: Buffer; bytesRead: number };
        const head = start.buffer.subarray(0, start.bytesRead);
        const mediaType = imageTypeOf(head);
        if (mediaType !== undefined) return await image(path, file, stats.size, mediaType, deps.seen);
        if (encodingOf(head) !== "utf16le" && head.includes(0)) {
          return failed(`${path} is a binary file; look at it with a program that knows it, by Bash.`);
        }
        if (stats.size > maxTextBytes && input.offset === undefined && input.limit === undefined) {
          return failed(
            `${path} has ${stats.size} bytes; name a part of it with offset and limit, or search it with Bash.`,
          );
        }
        return await text(path, file, input, deps.seen, signal);
      } finally {
        await file.close();
      }
    },
  });

async function text(
  path: string,
  file: FileHandle,
  { offset, limit = usualLines }: z.output<typeof Input>,
  seen: SeenFiles,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const first = Math.max(offset ?? 1, 1);
  const { lines, total, digest } = await readLines(file, { first, count: limit, lineCharacters, characters }, signal);
  if (digest !== undefined) seen.saw(await realpath(path), digest);
  if (total === 0) return said(`${path} is empty.`);
  if (lines.length === 0) return failed(`${path} has ${total} lines; offset ${first} is behind its end.`);
  const last = first + lines.length - 1;
  const shown = lines.map((line, at) => `${String(first + at).padStart(6)}\t${line}`).join("\n");
  if (last === total) return said(shown);
  const of = total === undefined ? "more" : total;
  return said(`${shown}\n… [lines ${first} to ${last} of ${of}; go on with offset ${last + 1}]`);
}

async function image(path: string, file: FileHandle, size: number, mediaType: string, seen: SeenFiles) {
  if (size > maxImageBytes) {
    return failed(`${path} has ${size} bytes, and an image may have ${maxImageBytes}; make it smaller by Bash.`);
  }
  const bytes = await file.readFile();
  seen.saw(await realpath(path), digestOf(bytes));
  const source = { type: "base64", media_type: mediaType, data: bytes.toString("base64") };
  return { content: [{ type: "image", source }] };
}

/** What a file is by its first bytes; its name may say anything. */
function imageTypeOf(head: Buffer): string | undefined {
  const starts = (text: string, at = 0) => head.subarray(at, at + text.length).toString("latin1") === text;
  if (starts("\x89PNG\r\n\x1a\n")) return "image/png";
  if (starts("\xff\xd8\xff")) return "image/jpeg";
  if (starts("GIF87a") || starts("GIF89a")) return "image/gif";
  return starts("RIFF") && starts("WEBP", 8) ? "image/webp" : undefined;
}
