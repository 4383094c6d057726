import vm from "node:vm";

/** Where a text has what is sought. */
export interface Hit {
  /** Counted from 0. */
  readonly line: number;
  readonly column: number;
}

/** What is sought in the lines of a text; `undefined` when the search took too long. */
export type Search = (text: string) => readonly Hit[] | undefined;

const maxHits = 10_000;

/**
 * A search by a regular expression that always ends: an expression with repeats inside repeats may take for ever, and nothing but the time limit
 * of a script interrupts it. Throws a SyntaxError for what is no expression.
 */
export function textSearch(pattern: string, isMultiline: boolean, ignoresCase: boolean, maxMs: number): Search {
  const [, inline = "", source = ""] = /^(?:\(\?(i)\))?(.*)$/s.exec(pattern) ?? [];
  const expression = new RegExp(source, `${isMultiline ? "gms" : ""}${ignoresCase || inline ? "i" : ""}`);
  const context = vm.createContext({ find: () => [] as readonly Hit[] });
  const script = new vm.Script("find()");
  return (text) => {
    context["find"] = () => (isMultiline ? acrossLines(expression, text) : withinLines(expression, text));
    try {
      return script.runInContext(context, { timeout: maxMs }) as readonly Hit[];
    } catch (error) {
      if ((error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
      throw error;
    }
  };
}

function withinLines(expression: RegExp, text: string): readonly Hit[] {
  const hits: Hit[] = [];
  for (const [line, words] of linesOf(text).entries()) {
    const column = words.search(expression);
    if (column >= 0 && hits.push({ line, column }) >= maxHits) break;
  }
  return hits;
}

/** Every line that a match touches. */
function acrossLines(expression: RegExp, text: string): readonly Hit[] {
  const hits: Hit[] = [];
  let line = 0;
  let start = 0;
  for (const match of text.matchAll(expression)) {
    const end = match.index + Math.max(match[0].length, 1);
    for (let at = match.index; at < end && hits.length < maxHits; ) {
      for (let next = text.indexOf("\n", start); next >= 0 && next < at; next = text.indexOf("\n", start)) {
        start = next + 1;
        line += 1;
      }
      if (hits.at(-1)?.line !== line) hits.push({ line, column: at - start });
      const next = text.indexOf("\n", at);
      at = next < 0 ? end : next + 1;
    }
  }
  return hits;
}

/** The lines as a person sees them: a text that ends with an end of line has no further, empty one. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
