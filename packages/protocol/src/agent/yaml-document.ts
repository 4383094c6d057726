import {
  type Document,
  type DocumentOptions,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Pair,
  type ParseOptions,
  parseDocument,
  type SchemaOptions,
  visit,
  type YAMLParseError,
} from "yaml";
import { messageOf } from "../errors.ts";
import { pointer } from "../problems.ts";
import type { AgentProblem, Position } from "./agent-problem.ts";

/**
 * YAML 1.2 core: `yes`, `on` and dates are text. `stringKeys` rejects collections as keys, which
 * are slow to render.
 */
const options = {
  schema: "core",
  merge: true,
  stringKeys: true,
  uniqueKeys: false,
  prettyErrors: false,
  resolveKnownTags: false,
  logLevel: "error",
} as const;

/** The longest front matter that is read. */
const maxYamlLength = 64 * 1024;
/** The deepest: the parser calls itself, and where the stack ends V8 ends the process. */
const maxDepth = 100;
const maxAliasCount = 100;

/** The front matter, read. */
export interface YamlDocument {
  /** Plain JSON: no cycle, nothing shared, no `__proto__`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The position of a value in the file, or else of its nearest parent. */
  place(path: readonly PropertyKey[]): Position | undefined;
  /** The source text of a scalar or collection, without quotes; undefined if there is none. */
  source(path: readonly PropertyKey[]): string | undefined;
  /** Whether the value was written without quotes and not as a block. */
  isPlain(path: readonly PropertyKey[]): boolean;
  /** The comment behind the value, without its `#`. */
  comment(path: readonly PropertyKey[]): string | undefined;
}

/** Reads front matter that begins on `firstLine`. Without `document` the first problem says why. */
export function readYaml(yaml: string, firstLine: number): { document?: YamlDocument; problems: AgentProblem[] } {
  const at = { path: "", code: "document_malformed", line: firstLine, column: 1 } as const;
  const lines = new LineCounter();
  const placeOf = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1) + firstLine - 1, column: Math.max(col, 1) };
  };
  const excess = excessOf(yaml);
  if (excess) {
    const { offset, ...words } = excess;
    const line = offset === undefined ? 0 : yaml.slice(0, offset).split("\n").length - 1;
    return { problems: [{ ...at, line: firstLine + line, ...words }] };
  }
  try {
    const read = parseYaml(yaml, { ...options, lineCounter: lines });
    const [error] = read.errors;
    if (error) return { problems: [{ ...at, ...placeOf(startOf(error, read)), ...explain(error) }] };
    const value: unknown = JSON.parse(JSON.stringify(read.toJS({ maxAliasCount })), withoutPrototype);
    if (value !== null && (typeof value !== "object" || Array.isArray(value))) {
      const message = `the front matter is ${Array.isArray(value) ? "a list" : "a text"}, not fields`;
      return { problems: [{ ...at, message, fix: "write it as fields, one to a line: name: my-agent" }] };
    }
    const document: YamlDocument = {
      fields: (value ?? {}) as Record<string, unknown>,
      place(path) {
        const way = path.map((_, index) => stepTo(read.contents, path.slice(0, index + 1)));
        const range = rangeOf(way.findLast((step) => step !== undefined)?.sign);
        return range ? placeOf(range[0]) : undefined;
      },
      source(path) {
        const node = stepTo(read.contents, path)?.value;
        if (isScalar(node)) return node.source;
        const range = rangeOf(node);
        return range ? yaml.slice(range[0], range[1]).trim() : undefined;
      },
      isPlain(path) {
        const node = stepTo(read.contents, path)?.value;
        return isScalar(node) && node.type === "PLAIN";
      },
      comment(path) {
        const node = stepTo(read.contents, path)?.value;
        return (isScalar(node) && node.comment) || undefined;
      },
    };
    const tags = read.warnings.map((warning) => ({
      ...at,
      ...placeOf(warning.pos[0]),
      code: "field_invalid" as const,
      message: `a tag has no meaning here and is ignored: ${warning.message}`,
      fix: "remove the tag, or quote the value if the exclamation mark belongs to it",
    }));
    return { document, problems: [...repeated(read.contents, placeOf), ...tags] };
  } catch (cause) {
    const text = messageOf(cause);
    return { problems: [{ ...at, ...explainCrash(text, (found) => placeOf(Math.max(0, yaml.indexOf(found)))) }] };
  }
}

/** The document with its errors, which have no stacks: of thousands they would take seconds. */
export function parseYaml(yaml: string, how: ParseOptions & DocumentOptions & SchemaOptions): Document.Parsed {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return parseDocument(yaml, how);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Why front matter is not read at all: it is too long, or nested too deep. */
export function excessOf(
  yaml: string,
): { readonly message: string; readonly fix: string; readonly offset?: number } | undefined {
  if (yaml.length > maxYamlLength) {
    const message = `the front matter is ${Math.ceil(yaml.length / 1024)} KiB long, more than the ${maxYamlLength / 1024} KiB that are read`;
    return { message, fix: "move the prose below the closing ---" };
  }
  const offset = tooDeepAt(yaml);
  if (offset === undefined) return undefined;
  const message = `the front matter is nested too deeply: more than ${maxDepth} lists and maps in each other`;
  return { message, fix: "write it as fields, one to a line, or quote text that has many brackets", offset };
}

/** Where brackets, braces and dashes of one line nest too deep; indentation hardly can. */
function tooDeepAt(yaml: string): number | undefined {
  let [brackets, dashes, offset] = [0, 0, 0];
  for (const token of new Lexer().lex(yaml)) {
    if (token === "[" || token === "{") brackets += 1;
    else if (token === "]" || token === "}") brackets -= 1;
    if (token === "-" || token === "?") dashes += 1;
    else if (token.trim() !== "" || token.includes("\n")) dashes = 0;
    if (brackets + dashes > maxDepth) return offset;
    // Signs of the lexer's own stand for no text.
    if (!/^[\x02\x18\x1f]$/.test(token)) offset += token.length;
  }
  return undefined;
}

/** Why a piece of YAML cannot be read by itself; undefined if it can. */
export function faultOf(yaml: string, anchors: ReadonlySet<string>): string | undefined {
  try {
    const read = parseYaml(yaml, options);
    const faults = read.errors.map((error) => explain(error).message);
    visit(read, {
      Alias: (_, { source }) => {
        if (!anchors.has(source)) faults.push('an unquoted value begins with "*"');
      },
    });
    return faults[0];
  } catch (cause) {
    return messageOf(cause);
  }
}

const withoutPrototype = (key: string, value: unknown): unknown => (key === "__proto__" ? undefined : value);

/** The node at the end of a path, and the node to show for it: a field's key, or a list's value. */
function stepTo(contents: unknown, path: readonly PropertyKey[]): { value: unknown; sign: unknown } | undefined {
  let step: { value: unknown; sign: unknown } | undefined = { value: contents, sign: contents };
  for (const key of path) {
    const holder: unknown = step.value;
    if (isMap(holder)) {
      const pair = holder.items.findLast((item) => keyOf(item) === String(key));
      step = pair && { value: pair.value, sign: pair.key };
    } else {
      const value: unknown = isSeq(holder) ? holder.items[Number(key)] : undefined;
      step = value === undefined ? undefined : { value, sign: value };
    }
    if (!step) return undefined;
  }
  return step;
}

const rangeOf = (node: unknown) => (isNode(node) && !isAlias(node) ? node.range : undefined);

const keyOf = (pair: Pair): string | undefined => (isScalar(pair.key) ? String(pair.key.value) : undefined);

function repeated(
  contents: unknown,
  placeOf: (offset: number) => Position,
  path: readonly PropertyKey[] = [],
): AgentProblem[] {
  if (isSeq(contents)) return contents.items.flatMap((item, index) => repeated(item, placeOf, [...path, index]));
  if (!isMap(contents)) return [];
  const seen = new Map<string, Position>();
  return contents.items.flatMap((pair) => {
    const key = keyOf(pair);
    if (!isPair(pair) || key === undefined) return [];
    const problems = repeated(pair.value, placeOf, [...path, key]);
    const place = placeOf(isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0);
    const first = seen.get(key);
    seen.set(key, place);
    if (!first || key === "<<") return problems;
    const message = `${key} is given on line ${first.line} and again on line ${place.line}; the last counts`;
    const fix = `remove one of the two lines that begin with ${key}:`;
    return [{ path: pointer([...path, key]), code: "key_duplicated" as const, message, fix, ...place }, ...problems];
  });
}

/** The position to show for an error: the unclosed quote, not the end of the file. */
function startOf(error: YAMLParseError, read: Document.Parsed): number {
  let start = error.pos[0];
  if (error.code !== "MISSING_CHAR") return start;
  visit(read, {
    Scalar: (_, { type, range }) => {
      if (type?.startsWith("QUOTE") && range && range[0] < error.pos[0]) start = range[0];
    },
  });
  return start;
}

/** Explains YAML errors to the author of a definition; other errors keep the parser's words. */
function explain({ code, message }: YAMLParseError): { message: string; fix: string } {
  const quote = "put the value in double quotes";
  if (message.endsWith("quote")) return { message: "a quote is opened and never closed", fix: "close the quote" };
  switch (code) {
    case "BLOCK_AS_IMPLICIT_KEY":
      return {
        message: 'an unquoted value holds ":" before a blank',
        fix: `${quote}, or do not indent the field below it`,
      };
    case "BAD_SCALAR_START":
      return { message: `an unquoted value begins with "${message.at(-1)}"`, fix: quote };
    case "BAD_ALIAS":
      return { message: 'an unquoted value begins with "*" or "&"', fix: quote };
    case "TAB_AS_INDENT":
      return { message: "a tab indents this line, which YAML forbids", fix: "indent with blanks" };
    case "BAD_DQ_ESCAPE":
      return { message: "a backslash in double quotes begins no known escape", fix: "double the backslash" };
    case "NON_STRING_KEY":
      return { message: "a map or a list stands where a field's name belongs", fix: quote };
    case "BAD_INDENT":
      return message.includes("end with a")
        ? {
            message: "a bracket or brace is not closed before this line",
            fix: "close it, or indent the lines within it",
          }
        : { message: "a line is not indented as what it belongs to", fix: "indent the lines of one field alike" };
    case "MISSING_CHAR":
    case "MULTILINE_IMPLICIT_KEY":
      return {
        message: "a line is neither a field nor part of one",
        fix: 'write it as "key: value", or indent it if it belongs to the field above',
      };
    case "UNEXPECTED_TOKEN":
      return { message: "text follows where the value has ended", fix: "put the whole value in double quotes" };
    case "MULTIPLE_DOCS":
      return { message: 'a line of "..." ends the front matter before its closing ---', fix: "remove the line" };
    case "RESOURCE_EXHAUSTION":
      return { message: "the front matter is nested too deeply", fix: "remove the nesting" };
  }
  return { message: `the front matter is not valid YAML: ${message}`, fix: `correct this line, or ${quote}` };
}

function explainCrash(
  message: string,
  placeOf: (text: string) => Position,
): { message: string; fix: string; line?: number; column?: number } {
  if (message.startsWith("Excessive alias")) {
    return {
      message: `aliases repeat more than ${maxAliasCount} values, as in an attack`,
      fix: "write the values out",
    };
  }
  const [, alias] = /^Unresolved alias[^:]*: (.*)$/s.exec(message) ?? [];
  if (alias !== undefined) {
    const found = {
      message: `*${alias} repeats an anchor that is not set above it`,
      fix: `set &${alias} first, or quote the value`,
    };
    return { ...found, ...placeOf(`*${alias}`) };
  }
  if (message.includes("circular")) {
    return { message: "an alias repeats what holds it, so the front matter has no end", fix: "write the value out" };
  }
  return { message: `the front matter cannot be read: ${message}`, fix: "write it as plain fields, one to a line" };
}
