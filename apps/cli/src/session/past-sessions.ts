import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { escapeProjectPath, isObject, layoutOf } from "@troupe/protocol";
import type { Call } from "../command.ts";

/** A session of a folder that can be gone on with. */
export interface PastSession {
  readonly id: string;
  /** What the person said first. */
  readonly title: string;
  /** When something was last said, in milliseconds. */
  readonly at: number;
}

/** As much of a transcript is read to find its first words. */
const headBytes = 256 * 1024;

/** The sessions of this folder in which a person said something, the newest first. */
export function pastSessions({ root, cwd }: Pick<Call, "root" | "cwd">, most = 20): readonly PastSession[] {
  const directory = join(layoutOf(root).root, "projects", escapeProjectPath(cwd));
  const files = namesIn(directory).flatMap((name) => {
    const [, id] = /^([\w-]+)\.jsonl$/.exec(name) ?? [];
    const at = statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs;
    return id === undefined || at === undefined ? [] : [{ id, at, path: join(directory, name) }];
  });
  const found: PastSession[] = [];
  for (const { id, at, path } of files.sort((one, other) => other.at - one.at)) {
    const title = firstWords(path);
    if (title !== undefined) found.push({ id, at, title });
    if (found.length === most) break;
  }
  return found;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function firstWords(path: string): string | undefined {
  for (const line of headOf(path).split("\n")) {
    if (!line.includes('"user"')) continue;
    const text = textIn(line);
    if (text !== undefined && text.trim() !== "" && !text.startsWith("<")) return text.trim().split("\n")[0];
  }
  return undefined;
}

function textIn(line: string): string | undefined {
  try {
    const { type, isSidechain, message } = JSON.parse(line);
    if (type !== "user" || isSidechain === true || !isObject(message)) return undefined;
    const { content } = message;
    if (typeof content === "string") return content;
    const [first] = Array.isArray(content) ? content : [];
    return isObject(first) && first["type"] === "text" ? String(first["text"]) : undefined;
  } catch {
    return undefined;
  }
}

function headOf(path: string): string {
  const bytes = Buffer.alloc(headBytes);
  try {
    const file = openSync(path, "r");
    try {
      return bytes.toString("utf8", 0, readSync(file, bytes, 0, headBytes, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}
