import type { Readable, Writable } from "node:stream";
import { type Key, keysOfRest, readKeys } from "./keys.ts";

/** A terminal: raw keys in, text out. This file alone changes how the terminal behaves. */
export interface Tty {
  size(): { readonly columns: number; readonly rows: number };
  write(text: string): void;
  /** Resolves once the terminal has taken what was written. */
  drained(): Promise<void> | undefined;
  /** The whole screen for a while, and back to what stood there before. */
  alternate(isOn: boolean): void;
  /** Gives the terminal back as it was. */
  close(): void;
}

export interface TtyDeps {
  readonly input: Readable & { readonly isRaw?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly output: Writable & { readonly columns?: number; readonly rows?: number };
  readonly onKey: (key: Key) => void;
  readonly onSize: () => void;
  /** The terminal was closed. */
  readonly onGone: () => void;
}

/** A lone Escape is a key when nothing of a sequence follows it for so long. */
const escapeMs = 30;

/** A process that nobody sees any more ends by then, whatever holds it up. */
const leavingMs = 10_000;

const pasting = { on: "\x1b[?2004h", off: "\x1b[?2004l" };
const alternate = { on: "\x1b[?1049h\x1b[2J\x1b[H", off: "\x1b[?1049l" };

export function openTty({ input, output, onKey, onSize, onGone }: TtyDeps): Tty {
  let rest = "";
  let isAlternate = false;
  let waiting: NodeJS.Timeout | undefined;
  let draining: Promise<void> | undefined;

  const onData = (chunk: string) => {
    clearTimeout(waiting);
    const { keys, rest: left } = readKeys(rest + chunk);
    rest = left;
    for (const key of keys) onKey(key);
    if (rest === "" || rest.startsWith("\x1b[200~")) return;
    waiting = setTimeout(() => {
      const late = keysOfRest(rest);
      rest = "";
      for (const key of late) onKey(key);
    }, escapeMs);
  };
  // A process that ends in any way leaves a terminal that can be typed in.
  const restore = () => void output.write(`${isAlternate ? alternate.off : ""}${pasting.off}\x1b[?25h`);

  const gone = () => {
    setTimeout(() => process.exit(), leavingMs).unref();
    onGone();
  };

  input.setRawMode?.(true);
  input.setEncoding("utf8").on("data", onData);
  input.resume();
  output.on("resize", onSize);
  output.write(pasting.on);
  process.once("exit", restore);
  // Without these the process would end at once, and what it started would run on.
  process.once("SIGHUP", gone);
  input.on("error", gone).on("end", gone);

  return {
    size: () => ({ columns: output.columns || 80, rows: output.rows || 24 }),
    write(text) {
      if (output.write(text) || draining) return;
      draining = new Promise((resolve) => {
        output.once("drain", () => {
          draining = undefined;
          resolve();
        });
      });
    },
    drained: () => draining,
    alternate(isOn) {
      if (isOn === isAlternate) return;
      isAlternate = isOn;
      output.write(isOn ? alternate.on : alternate.off);
    },
    close() {
      clearTimeout(waiting);
      process.off("SIGHUP", gone);
      process.off("exit", restore);
      restore();
      output.off("resize", onSize);
      input.off("data", onData).off("end", gone);
      input.setRawMode?.(false);
      input.pause();
    },
  };
}
