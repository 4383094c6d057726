import { type Problem, pointer } from "../problems.ts";
import { isObject } from "./is-object.ts";
import { scanJson } from "./scan.ts";

/** A JSON text as it was found. */
export interface ReadJson {
  /** Undefined when the text holds no complete value. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** False when writing `value` back would lose something that stands in the text. */
  readonly isWritable: boolean;
}

/** Longer texts do not fit into a string of this engine; no document comes near. */
const maxLength = 256 * 1024 * 1024;

/** Deeper documents cannot be relied on to be written back: `JSON.stringify` recurses. */
const maxDepth = 1_000;

/** A text, its bytes, or what `readJson` made of it. */
export type JsonInput = string | Uint8Array | ReadJson;

const isRead = (input: unknown): input is ReadJson =>
  isObject(input) && "isWritable" in input && Array.isArray(input["problems"]);

/**
 * Never throws. A text with surplus bytes after its value is read as the value before them. What
 * was read before is given back.
 */
export function readJson(input: JsonInput): ReadJson {
  if (isRead(input)) return input;
  if (typeof input !== "string" && !(input instanceof Uint8Array))
    return { value: undefined, problems: [noText], isWritable: false };
  if (input.length > maxLength) return { value: undefined, problems: [tooLarge(input.length)], isWritable: false };
  const { text, problems } = decode(input);
  const whole = parse(text);
  if (whole && hasKnownLayout(whole.value, text.trimEnd())) {
    return { value: whole.value, problems, isWritable: isFaithful(problems) };
  }

  const scan = scanJson(text);
  for (const path of scan.unsafeNumbers) problems.push(unsafeNumber(pointer(path)));
  for (const path of scan.duplicates) problems.push(duplicateKey(pointer(path)));
  if (scan.depth > maxDepth) problems.push(tooDeep(scan.depth));
  const isWritable = isFaithful(problems);
  if (whole) return { value: whole.value, problems, isWritable };
  if (scan.end !== undefined) {
    problems.push(surplus(scan.end));
    return { value: parse(text.slice(0, scan.end))?.value, problems, isWritable };
  }
  const { position, isCut } = scan.fault ?? { position: 0, isCut: true };
  problems.push(isCut ? cut(text.length) : malformed(text, position));
  return { value: undefined, problems, isWritable: false };
}

/**
 * Whether rewriting loses nothing: duplicate keys and a byte order mark are invisible to readers.
 */
const isFaithful = (problems: readonly Problem[]): boolean =>
  problems.every(({ code }) => code === "key_duplicated" || code === "bom_present");

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/**
 * Whether the text is formatted as every known writer does it, one value per line or all in one
 * line. Then it has no duplicate keys and no oversized numbers, and needs no scan, which takes ten
 * times as long as parsing.
 */
function hasKnownLayout(value: unknown, text: string): boolean {
  const breaks = countLineBreaks(text);
  const expected = lineBreaks(value);
  if (breaks > 0 || expected === 0) return breaks === expected;
  return !Number.isNaN(expected) && JSON.stringify(value) === text;
}

/** The number of line breaks in the indented layout; NaN if only the exact scan can tell. */
function lineBreaks(value: unknown, depth = 0): number {
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? 0 : Number.NaN;
  if (typeof value !== "object" || value === null) return 0;
  if (depth > 100) return Number.NaN;
  let breaks = 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) breaks += lineBreaks(item, depth + 1);
    count = value.length;
  } else {
    // What was parsed has no keys but its own, and a list of them would be made for each value.
    for (const key in value) {
      breaks += lineBreaks((value as Readonly<Record<string, unknown>>)[key], depth + 1);
      count += 1;
    }
  }
  return count === 0 ? 0 : breaks + count + 1;
}

function countLineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

function decode(input: string | Uint8Array): { text: string; problems: Problem[] } {
  const problems: Problem[] = [];
  let text: string;
  if (typeof input === "string") text = input;
  else {
    try {
      text = strict.decode(input);
    } catch {
      text = lenient.decode(input);
      problems.push({
        path: "",
        code: "text_not_utf8",
        message: "the file is not valid UTF-8; the bytes that are not show as U+FFFD",
        fix: "write the file as UTF-8",
      });
    }
  }
  if (!text.startsWith("\uFEFF")) return { text, problems };
  problems.push({
    path: "",
    code: "bom_present",
    message: "the file begins with a byte order mark",
    fix: "write UTF-8 without a byte order mark",
  });
  return { text: text.slice(1), problems };
}

const unsafeNumber = (path: string): Problem => ({
  path,
  code: "number_unsafe",
  message: `${path || "the document"} is a number that a double cannot hold exactly; the document is read, not rewritten`,
  fix: `write ${path || "it"} as a string, or within ±(2^53 - 1)`,
});

const noText: Problem = {
  path: "",
  code: "document_malformed",
  message: "what was given is neither a text nor bytes",
  fix: "give the document as a text or as bytes",
};

const tooLarge = (length: number): Problem => ({
  path: "",
  code: "document_too_large",
  message: `the document has ${length} bytes, more than the ${maxLength} that are read`,
  fix: "move it aside",
});

const tooDeep = (depth: number): Problem => ({
  path: "",
  code: "document_too_deep",
  message: `the document is nested ${depth} levels deep; it is read, not rewritten`,
  fix: `nest it no deeper than ${maxDepth} levels`,
});

const duplicateKey = (path: string): Problem => ({
  path,
  code: "key_duplicated",
  message: `${path} stands twice; the last one counts`,
  fix: `keep one ${path}`,
});

const surplus = (end: number): Problem => ({
  path: "",
  code: "document_torn",
  message: `there are surplus bytes after the document, which ends at offset ${end}: a writer without atomic rename leaves them`,
  fix: "read again; if they stay, rewrite the file under its lock from the document before them",
});

const cut = (length: number): Problem => ({
  path: "",
  code: "document_torn",
  message: length === 0 ? "the file is empty" : `the text stops in the middle, at offset ${length}`,
  fix: "read again, a writer may be at work; if it stays, restore the file from a copy",
});

function malformed(text: string, position: number): Problem {
  const before = text.slice(0, position);
  const line = before.split("\n").length;
  const column = position - before.lastIndexOf("\n");
  return {
    path: "",
    code: "document_malformed",
    message: `not JSON at line ${line}, column ${column} (offset ${position})`,
    fix: `correct the text at line ${line}, column ${column}`,
  };
}
