import type { Stats } from "node:fs";
import { chmod, chown, type FileHandle, mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { openRegular } from "./regular-file.ts";
import { digestOf } from "./seen-files.ts";

/** A larger file is not changed by a tool, and read only in part. */
export const maxTextBytes = 10 * 1024 * 1024;

/** How the characters of a file are written; each begins with the mark of its own. */
export type Encoding = "utf8" | "utf8-bom" | "utf16le";

/** A whole text file. */
export interface TextFile {
  /** Where it really lies. */
  readonly path: string;
  readonly text: string;
  readonly encoding: Encoding;
  readonly digest: string;
  readonly stats: Stats;
}

/** A file that can be changed without harm to what is not changed, or why it cannot. */
export async function readTextFile(path: string): Promise<TextFile | { readonly reason: string }> {
  const opened = await openRegular(path);
  if ("reason" in opened) return opened;
  const { file, stats } = opened;
  try {
    const tooLarge = { reason: `${path} has more than ${maxTextBytes} bytes; change it with a command of Bash.` };
    if (stats.size > maxTextBytes) return tooLarge;
    const bytes = await file.readFile();
    if (bytes.length > maxTextBytes) return tooLarge;
    const encoding = encodingOf(bytes);
    const text = decode(bytes, encoding);
    if (text === undefined)
      return { reason: `${path} is no text in UTF-8 or UTF-16; change it with a command of Bash.` };
    return { path: await realpath(path), text, encoding, digest: digestOf(bytes), stats };
  } finally {
    await file.close();
  }
}

export function encodingOf(bytes: Uint8Array): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf16le";
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? "utf8-bom" : "utf8";
}

function decode(bytes: Uint8Array, encoding: Encoding): string | undefined {
  try {
    const text = new TextDecoder(encoding === "utf16le" ? "utf-16le" : "utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

export function encode(text: string, encoding: Encoding): Buffer {
  if (encoding === "utf16le") return Buffer.from(`\uFEFF${text}`, "utf16le");
  return Buffer.from(encoding === "utf8-bom" ? `\uFEFF${text}` : text);
}

/**
 * Puts a file in its place, whole: any reader sees the old or the new one. The path is a real one,
 * so that a link stays a link; mode and owner of the file before are kept.
 */
export async function putFile(path: string, bytes: Uint8Array, newId: () => string, before?: Stats): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = join(dirname(path), `.${basename(path).slice(0, 40)}.${newId()}`);
  let file: FileHandle | undefined;
  try {
    file = await open(temporary, "wx", before ? 0o600 : 0o666);
    await file.writeFile(bytes);
    await file.datasync();
    await file.close();
    if (before) {
      const own = await chown(temporary, before.uid, before.gid).then(
        () => before.mode,
        () => before.mode & 0o777,
      );
      await chmod(temporary, own & 0o7777);
    }
    await rename(temporary, path);
  } catch (error) {
    await file?.close().catch(() => {});
    if (file) await rm(temporary, { force: true });
    throw error;
  }
}
