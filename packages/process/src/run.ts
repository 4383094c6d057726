import type { Readable } from "node:stream";
import { type ProcessEnd, type Start, startProcess } from "./start.ts";

/** A program to run to its end. */
export interface Run extends Omit<Start, "hasInput"> {
  /** The text for its standard input; absent: empty input. */
  readonly input?: string | undefined;
  readonly timeoutMs: number;
  /**
   * How much of each output is kept; the rest is read and dropped, so that a flood neither blocks
   * it nor fills memory.
   */
  readonly keptBytes: number;
}

export interface RunEnd {
  /** Null when it was ended or never started. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it has no exit code of its own. */
  readonly failure?: string | undefined;
}

/**
 * Runs a program to its end, with everything below it; too late or cancelled, all of it is ended.
 * Never rejects.
 */
export async function runProcess(
  { input, timeoutMs, keptBytes, ...start }: Run,
  signal?: AbortSignal,
): Promise<RunEnd> {
  if (signal?.aborted) return { code: null, stdout: "", stderr: "", failure: "was cancelled" };
  const running = startProcess({ ...start, hasInput: input !== undefined });
  const stdout = beginningOf(running.output, keptBytes);
  const stderr = beginningOf(running.errors, keptBytes);
  running.input?.end(input);

  let failure: string | undefined;
  const end = (why: string) => {
    failure ??= why;
    void running.end();
  };
  const cancel = () => end("was cancelled");
  const tooLate = setTimeout(() => end(`took longer than ${timeoutMs / 1_000} s`), timeoutMs);
  signal?.addEventListener("abort", cancel, { once: true });
  const result = await running.ended;
  clearTimeout(tooLate);
  signal?.removeEventListener("abort", cancel);
  failure ??= faultOf(result);
  return { code: failure === undefined ? result.code : null, stdout: stdout(), stderr: stderr(), failure };
}

function faultOf({ code, signal, fault }: ProcessEnd): string | undefined {
  if (fault !== undefined) return `could not be started: ${fault}`;
  return code === null ? `was killed by ${signal}` : undefined;
}

/** Collects the beginning of a stream. */
function beginningOf(stream: Readable, keptBytes: number): () => string {
  const chunks: Buffer[] = [];
  let room = keptBytes;
  stream.on("data", (chunk: Buffer) => {
    if (room > 0) chunks.push(chunk.subarray(0, room));
    room -= chunk.length;
  });
  return () => Buffer.concat(chunks).toString("utf8");
}
