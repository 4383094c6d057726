import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Call } from "../command.ts";
import { wrong } from "./wish.ts";

/** Who starts a program often leaves its input open, and never writes to it. */
const patienceMs = 3_000;

/** The task: the argument, what is piped in, or both, the argument first. */
export async function promptOf(call: Call<{ prompt?: string | undefined }>): Promise<string> {
  const { prompt } = call.args;
  const { input } = call.streams;
  const isTerminal = "isTTY" in input && input.isTTY === true;
  if (prompt === undefined && isTerminal)
    throw wrong('run needs <prompt>: troupe -p "what is to be done", or pipe it in');
  const isAsked = prompt === undefined || prompt === "-";
  const piped = isAsked ? await call.read() : isTerminal ? "" : await besides(call);
  const text = isAsked ? piped : piped.trim() === "" ? prompt : `${prompt}\n\n${piped}`;
  if (text.trim() === "") throw wrong("the task is empty: write what is to be done, or pipe it in");
  return text;
}

/** What comes beside a prompt; nothing if nothing comes. */
async function besides({ read, streams: { input } }: Call): Promise<string> {
  const waiting = new AbortController();
  const first = once(input, "readable", { signal: waiting.signal }).then(() => true);
  const isThere = input.readableEnded
    ? false
    : await Promise.race([first, delay(patienceMs, false, { signal: waiting.signal })]).finally(() => waiting.abort());
  if (isThere) return read();
  // An input that is open would keep the process.
  input.destroy();
  return "";
}
