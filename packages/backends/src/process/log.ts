import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

const tailBytes = 4_096;
const maxLines = 20;

/** The last lines of a log of two files, the older one `<path>.1`; none where there is none. */
export function lastLines(path: string): readonly string[] {
  const text = tailOf(`${path}.1`) + tailOf(path);
  // Characters that move a cursor or hide what they stand before are for no one's screen.
  const shown = text.slice(-tailBytes).replace(/[^\P{Cc}\n\t]|\p{Cf}/gu, "");
  return shown.split("\n").filter(Boolean).slice(-maxLines).map(wordsOf);
}

/** Of an error that a program of ours printed for programs, what it says to people. */
function wordsOf(line: string): string {
  try {
    const { message } = JSON.parse(line).error;
    return typeof message === "string" ? message : line;
  } catch {
    return line;
  }
}

function tailOf(path: string): string {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(file);
      const found = Buffer.alloc(Math.min(size, tailBytes));
      const count = readSync(file, found, 0, found.length, size - found.length);
      return found.toString("utf8", 0, count);
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}
