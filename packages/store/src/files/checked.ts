import { assertGiven, assertLimits, type LockLimits, type Shape } from "@troupe/protocol/rules";
import type { Inbox } from "./inbox.ts";

const writing: Shape = { limits: "object?", isDurable: "boolean?" };
export const storeShape: Shape = { ...writing, root: "path", now: "function?", newId: "function?" };
export const inboxShape: Shape = { ...writing, path: "path", codec: "object", now: "function?" };
export const tasksShape: Shape = { ...writing, layout: "object", codec: "object", isMember: "function" };
const layoutShape: Shape = {
  directory: "path",
  tasks: "path",
  taskLock: "path",
  highWaterMark: "path",
  task: "function",
};

interface OpeningDeps {
  readonly limits?: LockLimits;
  readonly layout?: object;
  readonly codec?: object;
}

/** Checks a call that opens a handle, down to the fields of its dependencies. */
export function assertOpening(call: string, deps: OpeningDeps, shape: Shape): void {
  assertGiven(call, deps, shape);
  if (deps.limits) assertLimits(deps.limits);
  if (shape["layout"]) assertGiven(`the layout of ${call}`, deps.layout, layoutShape);
  if (shape["codec"]) assertGiven(`the codec of ${call}`, deps.codec, { form: "string", write: "function" });
}

const entryShape: Shape = {
  from: "string",
  text: "string",
  timestamp: "string",
  read: "boolean?",
  summary: "string?",
  color: "string?",
  msg_id: "string?",
  lead_sig: "string?",
};

export const checkedInbox = (inbox: Inbox): Inbox => ({
  ...inbox,
  async append(entry) {
    assertGiven("append", { entry }, { entry: "json" });
    assertGiven("append", entry, entryShape);
    return inbox.append(entry);
  },
  async appendOnce(entry, kept) {
    assertGiven("appendOnce", { entry, kept }, { entry: "json", kept: "object?" });
    assertGiven("appendOnce", entry, entryShape);
    return inbox.appendOnce(entry, kept);
  },
  async appendAll(choose, done) {
    assertGiven("appendAll", { choose, done }, { choose: "function", done: "function" });
    const chosen: typeof choose = (...moment) => {
      const entries = choose(...moment);
      assertGiven("appendAll", { entries }, { entries: "array" });
      for (const entry of entries) assertGiven("appendAll", entry, entryShape);
      return entries;
    };
    return inbox.appendAll(chosen, done);
  },
  async wait(signal) {
    assertGiven("wait", { signal }, { signal: "signal?" });
    return inbox.wait(signal);
  },
  async acknowledge(keys, assertMay) {
    assertGiven("acknowledge", { keys, assertMay }, { keys: "set", assertMay: "function?" });
    return inbox.acknowledge(keys, assertMay);
  },
});
