import { once } from "node:events";
import type { Screen } from "./paint.ts";
import { printable } from "./visible.ts";

/** The environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;
/** An output stream, which may be a terminal. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/**
 * The width and colours of an output: FORCE_COLOR overrides NO_COLOR, which overrides the terminal.
 */
export function screenOf({ isTTY = false, columns }: Output, env: Environment): Screen {
  const { NO_COLOR, FORCE_COLOR, TERM, COLUMNS } = env;
  const hasColor =
    FORCE_COLOR !== undefined ? FORCE_COLOR !== "0" && FORCE_COLOR !== "false" : isTTY && !NO_COLOR && TERM !== "dumb";
  const said = Number(COLUMNS);
  return { columns: columns ?? (Number.isInteger(said) && said > 0 ? said : Infinity), hasColor };
}

/** Prompts a person; undefined without a terminal. */
export async function ask(question: string, input: Input, output: Output): Promise<boolean | undefined> {
  if (!input.isTTY || !output.isTTY) return undefined;
  // Loaded here, since most commands ask nothing and start quicker without it.
  const { createInterface } = await import("node:readline");
  const lines = createInterface({ input, terminal: false });
  output.write(printable(`${question} [y/N] `));
  const [answer = ""] = await Promise.race([once(lines, "line"), once(lines, "close")]);
  lines.close();
  return /^y(es)?$/i.test(String(answer).trim());
}

/** `defaultLimits` of the store, which is not loaded for this. */
const lockS = 15;

/** Prints from time to time that work continues, beginning after one second. */
export function startProgress(what: string, output: Output) {
  let timer: NodeJS.Timeout | undefined;
  let seconds = 0;
  const stop = () => clearInterval(timer);
  const start = () => {
    stop();
    timer = setInterval(() => {
      seconds += 1;
      const most = seconds < lockS ? `; it waits ${lockS} s at most for a lock of another process` : "";
      if (seconds === 1 || seconds % 5 === 0)
        output.write(`note: ${what} is still at work after ${seconds} s${most}\n`);
    }, 1_000).unref();
  };
  start();
  return { stop, start };
}
