import { type Document, isAlias, isMap, isScalar, LineCounter, type Scalar, visit, type YAMLParseError } from "yaml";
import { messageOf } from "../errors.ts";
import type { Position } from "./agent-problem.ts";
import { excessOf, parseYaml } from "./yaml-document.ts";

/** The most bytes of a file that the client reads. */
export const clientMaxBytes = 1024 * 1024;

/**
 * Where Claude Code of either revision ends the front matter: at the first `---` below the opening
 * one, anywhere in its line.
 */
export const clientEnd = (text: string): Position | undefined => {
  const { opening } = cut(text) ?? {};
  return opening === undefined ? undefined : placeOfFence(opening);
};

/**
 * How Claude Code of revision 2026-11 reads a definition's file, as observed:
 * `corpus/agents/verdicts.json`.
 */
export interface ClientReading {
  /** Absent where it finds none, and so ignores the file. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Why it finds none, where the file is not simply without front matter. */
  readonly fault?: string;
}

/**
 * Reads a definition's file as the client does: its own fences, then YAML, then YAML once more with
 * some values quoted.
 */
export function readAsClient(text: string): ClientReading {
  if (new TextEncoder().encode(text).length > clientMaxBytes) {
    return { fault: `the file has more than ${clientMaxBytes} bytes` };
  }
  const { yaml } = cut(text) ?? {};
  if (yaml === undefined) return {};
  if (yaml.includes("\u0000")) return { fault: "it holds NUL characters" };
  const known = excessOf(yaml) ? essentials(yaml) : yaml;
  const excess = excessOf(known);
  if (excess) return { fault: excess.message };
  const first = fieldsOf(known);
  if ("fields" in first) return first;
  const second = fieldsOf(quoted(known));
  return "fields" in second ? second : first;
}

/** The text up to and with the closing fence, and what stands between the two. */
function cut(text: string): { opening: string; yaml: string } | undefined {
  const bare = text.replace(/^\uFEFF/, "");
  const [fence] = /^---\s*\n/.exec(bare) ?? [];
  const end = fence === undefined ? -1 : bare.indexOf("---", fence.length);
  return fence === undefined || end < 0
    ? undefined
    : { opening: bare.slice(0, end + 3), yaml: bare.slice(fence.length, end) };
}

/** The index of the three hyphens that end this text. */
function placeOfFence(text: string): Position {
  const lines = text.slice(0, -"---".length).split(/\r\n?|\n/);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/**
 * The fields that the client requires, from front matter too long to be parsed here; the client has
 * no such limit.
 */
function essentials(yaml: string): string {
  let isKept = false;
  return yaml
    .split("\n")
    .filter((line) => {
      if (/^[^\s#]/.test(line)) isKept = /^(name|description)\s*:/.test(line);
      return isKept;
    })
    .join("\n");
}

/**
 * The second try: a value on the line of its key that YAML could take for structure is put into
 * quotes. A value in quotes stays, and so do nested lines, keys with other characters than letters,
 * and lines that end in CRLF.
 */
const quoted = (yaml: string): string =>
  yaml
    .split("\n")
    .map((line) => {
      const [, key, value = ""] = /^([A-Za-z_-]+):\s+(.+)$/.exec(line) ?? [];
      const isLeft = key === undefined || /^(".*"|'.*')$/.test(value) || !/[{}[\]*&#!|>%@`]|: /.test(value);
      return isLeft ? line : `${key}: "${value.replace(/[\\"]/g, "\\$&")}"`;
    })
    .join("\n");

type Outcome = { readonly fields: Readonly<Record<string, unknown>> } | { readonly fault: string };

const options = {
  schema: "core",
  merge: true,
  uniqueKeys: false,
  prettyErrors: false,
  resolveKnownTags: false,
} as const;

function fieldsOf(yaml: string): Outcome {
  const lf = yaml.replace(/\r\n?/g, "\n");
  const read = parse(lf);
  // Tabs indent for this client, but not within a block of text or brackets.
  return "fault" in read && /^\t/m.test(lf) && !/[|>[{][+-]?\d?$/m.test(lf)
    ? parse(lf.replace(/^\t+/gm, (tabs) => "  ".repeat(tabs.length)))
    : read;
}

function parse(yaml: string): Outcome {
  try {
    const lines = new LineCounter();
    const document = parseYaml(yaml, { ...options, logLevel: "error", lineCounter: lines });
    const error = document.errors.find((one) => !isTaken(one));
    if (error) return { fault: `${error.message} at line ${lines.linePos(error.pos[0]).line + 1}` };
    if (!isMap(document.contents)) return { fault: "it holds no fields" };
    const missing = missingAnchor(document);
    if (missing !== undefined) return { fault: `*${missing} repeats an anchor that is not set above it` };
    try {
      return { fields: document.toJS({ maxAliasCount: 100 }) };
    } catch {
      // What repeats itself without end is no fault for this client, and needs not be written out
      // here.
      const scalars = document.contents.items.filter(({ key, value }) => isScalar(key) && isScalar(value));
      return { fields: Object.fromEntries(scalars.map(({ key, value }) => [String(key), (value as Scalar).value])) };
    }
  } catch (cause) {
    return { fault: messageOf(cause) };
  }
}

/** A text may begin with a comma. */
const isTaken = ({ code, message }: YAMLParseError): boolean => code === "BAD_SCALAR_START" && message.endsWith(",");

function missingAnchor(document: Document): string | undefined {
  const anchors = new Set<string>();
  let missing: string | undefined;
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node)) anchors.add(node.anchor ?? "");
      else if (!anchors.has(node.source)) missing ??= node.source;
    },
  });
  return missing;
}
