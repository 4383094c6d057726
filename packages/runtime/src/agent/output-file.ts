import { closeSync, constants, mkdirSync, openSync, readSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "@troupe/protocol";
import { maxCharacters } from "../loop/outcome.ts";

/**
 * The output of a command, in a file while it runs: any amount of it takes little memory, and a
 * model can read on where an excerpt ends.
 */
export interface OutputFile {
  readonly path: string;
  write(bytes: Uint8Array): void;
  /** All of it, or its beginning and end, and where the whole is. */
  excerpt(): string;
  /** Why the file does not hold all of it: the disk is full, say. */
  fault(): string | undefined;
  /** The excerpt is all of it, so the file is not needed. */
  isShown(): boolean;
  remove(): void;
  close(): void;
}

/** Output beyond this is counted and thrown away. */
const maxBytes = 64 * 1024 * 1024;
const headBytes = maxCharacters / 3;
const tailBytes = maxCharacters - headBytes;

/**
 * The path must be new, so that nobody can have laid a link there. Where no file can be made, the
 * end of what is written stays in memory.
 */
export function createOutputFile(path: string, limit = maxBytes): OutputFile {
  let file: number | undefined;
  let isOpen = false;
  let kept = 0;
  let size = 0;
  let fault: string | undefined;
  /** The last bytes that a faulty file does not hold. */
  let rest: Uint8Array = new Uint8Array();
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    file = openSync(path, "wx", 0o600);
    isOpen = true;
  } catch (error) {
    fault = messageOf(error);
  }
  return {
    path,
    write(bytes) {
      size += bytes.length;
      if (file !== undefined && fault === undefined) {
        if (!isOpen) return;
        const part = bytes.subarray(0, limit - kept);
        const before = kept;
        try {
          while (kept - before < part.length) kept += writeSync(file, part, kept - before);
          return;
        } catch (error) {
          fault = messageOf(error);
          rest = part.subarray(kept - before);
        }
      } else rest = Buffer.concat([rest, bytes]);
      rest = rest.subarray(-tailBytes);
    },
    excerpt() {
      try {
        return excerptOf({ path, kept, size, fault, rest });
      } catch (error) {
        return `… [what it said cannot be read any more: ${messageOf(error)}]`;
      }
    },
    fault: () => fault,
    isShown: () => size <= maxCharacters && (fault === undefined || size === 0),
    remove() {
      if (file !== undefined) attempt(() => rmSync(path, { force: true }));
      // The folder goes with the last of what was kept in it.
      attempt(() => rmdirSync(dirname(path)));
    },
    close() {
      if (isOpen) attempt(() => closeSync(file ?? -1));
      isOpen = false;
    },
  };
}

/** The end of a command is told even where its file cannot be put away. */
function attempt(step: () => void): void {
  try {
    step();
  } catch {
    // The written part is there, or its loss was noticed when it was written.
  }
}

interface Written {
  readonly path: string;
  readonly kept: number;
  readonly size: number;
  readonly fault: string | undefined;
  readonly rest: Uint8Array;
}

function excerptOf({ path, kept, size, fault, rest }: Written): string {
  const missing = size - kept;
  const many = missing > 0 ? `\n… [the last ${missing} of ${size} bytes were thrown away: there are too many]` : "";
  const lost =
    fault === undefined
      ? many
      : `\n… [${path} lacks the last ${missing} of ${size} bytes, since it could not be written: ${fault}; ` +
        `these are the last ${rest.length}] …\n${decode(withoutRest(rest))}`;
  if (kept === 0) return size === 0 ? "" : lost.trimStart();
  if (kept <= maxCharacters) return decode(readPart(path, 0, kept), fault !== undefined) + lost;
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
