import { resolve } from "node:path";
import { isObject, messageOf, TroupeError } from "@troupe/protocol";
import { readNamedFile } from "@troupe/store/files";
import type { Call } from "../command.ts";

/** The value of an option that takes JSON or the name of a file with it: an object. */
export function jsonGiven(
  { cwd }: Pick<Call, "cwd">,
  option: string,
  given: string,
): Readonly<Record<string, unknown>> {
  const isText = /^\s*[{["]/.test(given);
  const where = isText ? `--${option}` : `--${option} ${given}`;
  const text = isText ? given : textOf(resolve(cwd, given), where);
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new TroupeError("arguments_invalid", `${where} is no JSON: ${messageOf(error)}`);
  }
  throw new TroupeError("arguments_invalid", `${where} holds no object: write {...}`);
}

function textOf(path: string, where: string): string {
  try {
    return Buffer.from(readNamedFile(path)).toString();
  } catch (error) {
    throw new TroupeError("arguments_invalid", `${where} cannot be read: ${messageOf(error)}`);
  }
}
