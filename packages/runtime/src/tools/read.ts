import { type FileHandle, realpath } from "node:fs/promises";
import { z } from "zod";
import type { Agent } from "../agent/agent.ts";
import { type HomeDeps, placeOf } from "../agent/place.ts";
import { openRegular } from "../agent/regular-file.ts";
import { digestOf, type SeenFiles } from "../agent/seen-files.ts";
import { encodingOf, maxTextBytes } from "../agent/text-file.ts";
import { failed, said } from "../loop/outcome.ts";
import type { Tool, ToolOutcome } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import { readLines } from "./lines.ts";
import { isPdf, maxPages, type PdfDeps, pdfText } from "./pdf.ts";

/** An agent as what it reads and changes must know it. */
export type Reader = Pick<Agent, "cwd" | "seen">;

const usualLines = 2_000;
const lineCharacters = 2_000;
const characters = 100_000;
/** The API takes images of five megabytes, counted in base64. */
const maxImageBytes = 3_750_000;

const Input = z.object({
  file_path: z.string().min(1).describe("The path of the file, preferably absolute."),
  offset: z.int().min(0).optional().describe("The number of the first line to read, counted from 1."),
  limit: z.int().min(1).optional().describe(`How many lines to read; default: ${usualLines}.`),
  pages: z.string().optional().describe(`Of a PDF: the pages to read, such as 3 or 2-5; at most ${maxPages}.`),
});

/** Shows a file to the model. */
export const readTool = (deps: HomeDeps & PdfDeps): Tool<Reader> =>
  typedTool({
    name: "Read",
    description:
      `Reads a file. Text has line numbers as from cat -n: at most ${usualLines} lines from the start, or the lines that offset and limit ` +
      `select; lines longer than ${lineCharacters} characters are cut. PNG, JPEG, GIF and WebP files are shown as images; of a PDF ` +
      `the text, ${maxPages} pages at a time. To list a directory, use Glob or ls.`,
    input: Input,
    isRead: true,
    reaches: ({ file_path }, cwd) => [{ kind: "read", path: placeOf({ ...deps, cwd }, file_path) }],
    run: async (input, { signal, agent: { cwd, seen } }) => {
      const path = placeOf({ ...deps, cwd }, input.file_path);
      const opened = await openRegular(path);
      if ("reason" in opened) return failed(opened.reason);
      const { file, stats } = opened;
      try {
        const start = (await file.read(Buffer.alloc(8_192), 0, 8_192, 0)) as { buffer: Buffer; bytesRead: number };
        const head = start.buffer.subarray(0, start.bytesRead);
        const mediaType = imageTypeOf(head);
        if (mediaType !== undefined) return await image(path, file, stats.size, mediaType, seen);
        if (isPdf(head)) return await pdfText({ path, size: stats.size, pages: input.pages, characters }, deps, signal);
        if (encodingOf(head) !== "utf16le" && head.includes(0)) {
          return failed(`${path} is a binary file; read it with Bash and a program for its format.`);
        }
        if (stats.size > maxTextBytes && input.offset === undefined && input.limit === undefined) {
          return failed(
            `${path} has ${stats.size} bytes, too many to read at once; select lines with offset and limit, or search it with Bash.`,
          );
        }
        return await text(path, file, input, seen, signal);
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
  if (lines.length === 0) return failed(`${path} has ${total} lines; offset ${first} is past its end.`);
  const last = first + lines.length - 1;
  const shown = lines.map((line, at) => `${String(first + at).padStart(6)}\t${line}`).join("\n");
  if (last === total) return said(shown);
  const of = total === undefined ? "more" : total;
  return said(`${shown}\n… [lines ${first} to ${last} of ${of}; continue with offset ${last + 1}]`);
}

async function image(path: string, file: FileHandle, size: number, mediaType: string, seen: SeenFiles) {
  if (size > maxImageBytes) {
    return failed(`${path} has ${size} bytes, and an image may have ${maxImageBytes}; make it smaller with Bash.`);
  }
  const bytes = await file.readFile();
  seen.saw(await realpath(path), digestOf(bytes));
  const source = { type: "base64", media_type: mediaType, data: bytes.toString("base64") };
  return { content: [{ type: "image", source }] };
}

/** The type of an image by its first bytes; its name may say anything. */
function imageTypeOf(head: Buffer): string | undefined {
  const starts = (text: string, at = 0) => head.subarray(at, at + text.length).toString("latin1") === text;
  if (starts("\x89PNG\r\n\x1a\n")) return "image/png";
  if (starts("\xff\xd8\xff")) return "image/jpeg";
  if (starts("GIF87a") || starts("GIF89a")) return "image/gif";
  return starts("RIFF") && starts("WEBP", 8) ? "image/webp" : undefined;
}
