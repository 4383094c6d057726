import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";

/** The faults of a document's bytes, before its content is parsed. */
type DocumentFault = "unreadable" | "bom" | "encoding" | "empty" | "torn" | "surplus" | "syntax";

export interface FoundDocument {
  /** Undefined where nothing could be read; a value before surplus bytes counts. */
  readonly value: unknown;
  readonly text: string;
  readonly faults: readonly DocumentFault[];
}

/** Reads JSON as leniently as the protocol asks of a reader, with code of the suite's own. */
export function readDocument(bytes: Uint8Array): FoundDocument {
  const faults: DocumentFault[] = [];
  let text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  if (!isUtf8(bytes)) faults.push("encoding");
  if (text.startsWith("\uFEFF")) {
    faults.push("bom");
    text = text.slice(1);
  }
  const found = parse(text);
  return { value: found.value, text, faults: found.fault ? [...faults, found.fault] : faults };
}

const maxBytes = 64 * 1024 * 1024;

/** Undefined without a file. A pipe does not block, and a device is not read. */
export function readFile(path: string): FoundDocument | undefined {
  try {
    const bytes = bytesOf(path);
    return bytes ? readDocument(bytes) : { value: undefined, text: "", faults: ["unreadable"] };
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

function bytesOf(path: string): Uint8Array | undefined {
  if (!statSync(path).isFile()) return undefined;
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    return stats.isFile() && stats.size <= maxBytes ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}

function parse(text: string): { value?: unknown; fault?: DocumentFault } {
  if (text.trim() === "") return { fault: "empty" };
  try {
    return { value: JSON.parse(text) };
  } catch {
    const end = endOfValue(text);
    if (end === undefined) return { fault: "torn" };
    try {
      return { value: JSON.parse(text.slice(0, end)), fault: "surplus" };
    } catch {
      return { fault: "syntax" };
    }
  }
}

/**
 * The index after the first object or array of a text; undefined if the text ends before it does.
 */
function endOfValue(text: string): number | undefined {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isString) {
      if (character === "\\") at += 1;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth <= 0) return at + 1;
    }
  }
  return depth > 0 || isString ? undefined : text.length;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
