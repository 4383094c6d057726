import { messageOf } from "@troupe/protocol";
import { type HookInputCommon, type KnownHook, renderHookInput } from "@troupe/protocol/hooks";
import { timeLimit } from "@troupe/store";
import type { HookReply } from "./outcome.ts";
import { readReply } from "./reply.ts";

export type HttpHook = Extract<KnownHook, { type: "http" }>;

const longestBody = 1 << 20;

/**
 * Posts the event; only an answer of 2xx counts. A redirect is an error, since the event is meant
 * for nobody else.
 */
export async function runHttpHook(
  { url, headers }: HttpHook,
  input: HookInputCommon,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<HookReply> {
  const deadline = timeLimit(timeoutMs);
  const ending = new AbortController();
  const error = (reason: string): HookReply => ({ meaning: "error", reason });
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: renderHookInput(input),
      redirect: "error",
      signal: AbortSignal.any([signal, deadline, ending.signal]),
    });
    if (!response.ok) return error(`answered with status ${response.status}`);
    const body = await bounded(response.body);
    return body === undefined ? error(`answered with more than ${longestBody} bytes`) : readReply(body);
  } catch (failure) {
    if (signal.aborted) return error("was cancelled");
    if (deadline.aborted) return error(`took longer than ${timeoutMs / 1_000} s`);
    const { cause = failure } = failure as Error;
    return error(`could not be reached: ${messageOf(cause)}`);
  } finally {
    ending.abort();
  }
}

/** The text of a body, or undefined when there is too much of it. */
async function bounded(body: ReadableStream<Uint8Array> | null): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > longestBody) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
