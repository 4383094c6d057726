import { isObject, isTroupeError, messageOf, readJson, writeJson } from "@troupe/protocol";
import { type Held, type LockLimits, publish, readNamedFile, withLock } from "@troupe/store/files";
import { inRealDirectory, realOf } from "../real-path.ts";

/**
 * Changes one object of a settings file and leaves the rest as it is; returns why it could not.
 * Readers see the old file or the new one, and of two programs that change it at once neither loses
 * anything. A file that is not understood is not written, since writing it would lose what a person
 * wrote.
 */
export async function amendSettings(
  file: string,
  key: string,
  change: (found: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
  limits?: LockLimits,
): Promise<string | undefined> {
  try {
    // Settings may be a link into a collection of such files: what it leads to is written, and the
    // link stays.
    const target = realOf(file) ?? inRealDirectory(file);
    return await withLock(target, (held) => amended(held, target), limits);
  } catch (error) {
    return isTroupeError(error) ? messageOf(error) : `${file} cannot be written: ${messageOf(error)}`;
  }

  function amended(held: Held, target: string): string | undefined {
    const text = textOf(target);
    const { value, isWritable } = text === undefined ? { value: {}, isWritable: true } : readJson(text);
    if (!isWritable || !isObject(value)) return `${file} cannot be read as settings and is left as it is: fix it first`;
    const found = Object.hasOwn(value, key) ? value[key] : {};
    if (!isObject(found)) return `${key} in ${file} is not an object and is left as it is: fix it first`;
    // Keys are copied as own properties, so that one called __proto__ stays an ordinary key.
    const others = Object.entries(value).map(([name, one]) => [name, name === key ? change(found) : one] as const);
    const added = Object.hasOwn(value, key) ? [] : [[key, change(found)] as const];
    publish(held, target, writeJson(Object.fromEntries([...others, ...added])), true);
    return undefined;
  }
}

function textOf(file: string): Uint8Array | undefined {
  try {
    return readNamedFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
