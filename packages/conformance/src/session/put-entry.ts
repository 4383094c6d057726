import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { CheckContext } from "../check.ts";
import { entriesAt, type Fields, replace } from "../concurrency/documents.ts";
import { conventionOf } from "../concurrency/foreign-lock.ts";

/** Appends to an inbox as another conforming program does, in the lead's name unless told. */
export async function putEntry(
  context: CheckContext,
  path: string,
  text: string | object,
  more: Fields = {},
): Promise<void> {
  const entry = {
    from: "team-lead",
    text: typeof text === "string" ? text : JSON.stringify(text),
    timestamp: new Date().toISOString(),
    ...(context.revision === "2026-11" && { msgV: 1, msg_id: randomUUID(), type: "message" }),
    read: false,
    ...more,
  };
  mkdirSync(dirname(path), { recursive: true });
  const { hold } = conventionOf(context.declaration);
  for (const end = performance.now() + context.scaled(20_000); ; await pause(5)) {
    try {
      const lock = hold(path);
      try {
        replace(path, [...entriesAt(context, path), entry]);
      } finally {
        lock.release();
      }
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== "EEXIST" || performance.now() > end) throw error;
    }
  }
}
