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
export function pastSessions(call: Pick<Call, "root" | "cwd">, most = 20): readonly PastSession[] {
  const found: PastSession[] = [];
  for (const { id, at, path } of transcripts(call)) {
    const title = firstWords(path);
    if (title !== undefined) found.push({ id, at, title });
    if (found.length === most) break;
  }
  return found;
}

/** The transcripts of this folder, the newest first. */
function transcripts({ root, cwd }: Pick<Call, "root" | "cwd">) {
  const directory = join(layoutOf(root).root, "projects", escapeProjectPath(cwd));
  const files = namesIn(directory).flatMap((name) => {
    const [, id] = /^([\w-]+)\.jsonl$/.exec(name) ?? [];
    const at = statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs;
    return id === undefined || at === undefined ? [] : [{ id, at, path: join(directory, name) }];
  });
  return files.sort((one, other) => other.at - one.at);
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

const firstWords = (path: string): string | undefined => saidIn(path).next().value?.split("\n")[0];

/** What the person said in the last sessions of this folder, the newest last. */
export function saidBefore(call: Pick<Call, "root" | "cwd">, most = 200): readonly string[] {
  const said: string[] = [];
  for (const { path } of transcripts(call).slice(0, 10)) {
    if (said.length >= most) break;
    said.unshift(...saidIn(path));
  }
  return said.slice(-most);
}

function* saidIn(path: string): Generator<string, undefined> {
  for (const line of headOf(path).split("\n")) {
    if (!line.includes('"user"')) continue;
    const text = textIn(line)?.trim() ?? "";
    if (text !== "" && !text.startsWith("<")) yield text;
  }
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
