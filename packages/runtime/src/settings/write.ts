import { readFileSync, realpathSync } from "node:fs";
import { readJson, writeJson } from "@troupe/protocol";
import { replaceFile } from "../whole-file.ts";
import { whileLocked } from "./lock.ts";

/**
 * Changes one object of a settings file and leaves the rest as it is; returns why it could not. Readers see the old file or the new one, and
 * of two programs that change it at once neither loses anything. A file that is not understood is not written, since writing it would lose
 * what a person wrote.
 */
export function amendSettings(
  file: string,
  key: string,
  change: (found: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): string | undefined {
  try {
    const target = targetOf(file);
    return whileLocked(target, (isHeld) => {
      const text = textOf(target);
      const { value, isWritable } = text === undefined ? { value: {}, isWritable: true } : readJson(text);
      if (!isWritable || !isObject(value))
        return `${file} cannot be read as settings, and is left as it is: mend it first`;
      const found = Object.hasOwn(value, key) ? value[key] : {};
      if (!isObject(found)) return `${key} in ${file} is no object, and is left as it is: mend it first`;
      // Keys are copied as own properties, so that one called __proto__ stays an ordinary key.
      const others = Object.entries(value).map(([name, one]) => [name, name === key ? change(found) : one] as const);
      const added = Object.hasOwn(value, key) ? [] : [[key, change(found)] as const];
      const changed = writeJson(Object.fromEntries([...others, ...added]));
      if (!isHeld()) return `${file} is left as it is, since another program took over its lock: try again`;
      replaceFile(target, changed);
      return undefined;
    });
  } catch (error) {
    return `${file} cannot be written: ${(error as Error).message}`;
  }
}

/** Settings may be a link into somebody's collection of such files: what it leads to is written, and the link stays. */
function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function textOf(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
