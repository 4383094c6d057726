import { closeSync, constants, openSync, readSync, rmSync, writeSync } from "node:fs";
import { maxCharacters } from "./outcome.ts";

/** What a command says, in a file while it runs: any amount of it takes little memory, and a model can read on where an excerpt ends. */
export interface OutputFile {
  readonly path: string;
  write(bytes: Uint8Array): void;
  /** All of it, or its beginning and end, and where the whole is. */
  excerpt(): string;
  /** The excerpt is all of it, so the file is not needed. */
  isShown(): boolean;
  remove(): void;
  close(): void;
}

/** What is said beyond this is counted and thrown away. */
const maxBytes = 64 * 1024 * 1024;
const headBytes = maxCharacters / 3;
const tailBytes = maxCharacters - headBytes;

/** The path must be new, so that nobody can have laid a link there. */
export function createOutputFile(path: string, limit = maxBytes): OutputFile {
  const file = openSync(path, "wx", 0o600);
  let kept = 0;
  let size = 0;
  let isOpen = true;
  return {
    path,
    write(bytes) {
      size += bytes.length;
      if (!isOpen) return;
      const part = bytes.subarray(0, limit - kept);
      for (let at = 0; at < part.length; ) at += writeSync(file, part, at);
      kept += part.length;
    },
    excerpt() {
      try {
        return excerptOf(path, kept, size);
      } catch (error) {
        return `… [what it said cannot be read any more: ${(error as Error).message}]`;
      }
    },
    isShown: () => size <= maxCharacters,
    remove: () => rmSync(path, { force: true }),
    close() {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

function excerptOf(path: string, kept: number, size: number): string {
  const lost = size > kept ? `\n… [the last ${size - kept} of ${size} bytes were thrown away: there are too many]` : "";
  if (kept <= maxCharacters) return decode(readPart(path, 0, kept)) + lost;
  const head = decode(readPart(path, 0, headBytes), true);
  const tail = decode(withoutRest(readPart(path, kept - tailBytes, tailBytes)));
  const hint = `${kept - headBytes - tailBytes} bytes are left out here; all is in ${path}: use Read or Grep`;
  return `${head}\n… [${hint}] …\n${tail}${lost}`;
}

function readPart(path: string, from: number, length: number): Uint8Array {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, from));
  } finally {
    closeSync(file);
  }
}

/** With `isCut`, a character that is not there to its end is left out. */
const decode = (bytes: Uint8Array, isCut = false): string => new TextDecoder().decode(bytes, { stream: isCut });

/** Without what is left of a character that begins before. */
function withoutRest(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte >> 6 !== 2);
  return start < 0 ? bytes : bytes.subarray(start);
}
