import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { timeLimit } from "@troupe/store";

/** Where a text has what is sought. */
export interface Hit {
  /** Counted from 0. */
  readonly line: number;
  readonly column: number;
}

/** A search by a regular expression, in a thread of its own. */
export interface TextSearch {
  /** Searches the lines of a text; undefined when that took too long, or the signal fired. */
  hitsIn(text: string, signal: AbortSignal): Promise<readonly Hit[] | undefined>;
  /** Ends the thread; a search that is not closed keeps the process alive. */
  close(): Promise<void>;
}

/**
 * The hits of the thread: of a single line its number and the column, of a match over lines its
 * offset and its length.
 */
type Found = readonly (readonly [at: number, extent: number])[];

const maxHits = 10_000;

/**
 * Opens a search that always ends and holds up nobody meanwhile: an expression with repeats inside
 * repeats may take for ever, and only with its thread can it be ended. One text is searched at a
 * time. Throws a SyntaxError for what is no expression.
 */
export function openTextSearch(pattern: string, isMultiline: boolean, ignoresCase: boolean, maxMs: number): TextSearch {
  const [, inline = "", source = ""] = /^(?:\(\?(i)\))?(.*)$/s.exec(pattern) ?? [];
  const expression = new RegExp(source, `${isMultiline ? "gms" : ""}${ignoresCase || inline ? "i" : ""}`);
  let thread: Worker | undefined;

  async function started(): Promise<Worker> {
    const workerData = { expression, isMultiline, maxHits };
    const worker = new Worker(code, { eval: true, workerData, env: {}, execArgv: [], resourceLimits });
    await once(worker, "online");
    return worker;
  }

  async function close(): Promise<void> {
    await thread?.terminate();
    thread = undefined;
  }

  async function hitsIn(text: string, signal: AbortSignal): Promise<readonly Hit[] | undefined> {
    thread ??= await started();
    const enough = AbortSignal.any([signal, timeLimit(maxMs)]);
    try {
      const answer = once(thread, "message", { signal: enough });
      thread.postMessage(text);
      const [found] = (await answer) as [Found];
      return isMultiline ? linesTouched(found, text) : found.map(([line, column]) => ({ line, column }));
    } catch (error) {
      await close();
      if (enough.aborted || (error as { code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY") return undefined;
      throw error;
    }
  }

  return { hitsIn, close };
}

const resourceLimits = { maxOldGenerationSizeMb: 256 };

/**
 * A text and not a file: Node does not run the sources of this package, and a bundler would leave a
 * file behind.
 */
const code = `
const { parentPort, workerData } = require("node:worker_threads");
const { expression, isMultiline, maxHits } = workerData;
function* matches(text) {
  if (isMultiline) for (const match of text.matchAll(expression)) yield [match.index, match[0].length];
  else
    for (const [line, words] of text.split(/\\r?\\n/).entries()) {
      const column = words.search(expression);
      if (column >= 0) yield [line, column];
    }
}
parentPort.on("message", (text) => {
  const found = [];
  for (const match of matches(text)) if (found.push(match) >= maxHits) break;
  parentPort.postMessage(found);
});
`;

/** Every line that a match touches. */
function linesTouched(found: Found, text: string): readonly Hit[] {
  const hits: Hit[] = [];
  let line = 0;
  let start = 0;
  for (const [index, length] of found) {
    const end = index + Math.max(length, 1);
    for (let at = index; at < end && hits.length < maxHits; ) {
      for (let next = text.indexOf("\n", start); next >= 0 && next < at; next = text.indexOf("\n", start)) {
        start = next + 1;
        line += 1;
      }
      if (hits.at(-1)?.line !== line) hits.push({ line, column: at - start });
      const next = text.indexOf("\n", at);
      at = next < 0 ? end : next + 1;
    }
  }
  return hits;
}

/**
 * The lines as a person sees them: a text that ends with an end of line has no further, empty one.
 */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
