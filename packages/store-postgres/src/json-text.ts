/** Every token of JSON, whatever a reader makes of it: a number keeps its digits. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

const opens = (word: string | undefined): boolean => word === "{" || word === "[";
const closes = (word: string): boolean => word === "}" || word === "]";

/** The elements of an array as they were written; undefined of what is none. */
export function elementsIn(text: string): string[] | undefined {
  if (!Array.isArray(parsed(text))) return undefined;
  const elements: string[] = [];
  let depth = 0;
  let start = text.indexOf("[") + 1;
  for (const { 0: word, index } of text.matchAll(token)) {
    if (depth === 1 && (word === "," || word === "]")) {
      const element = text.slice(start, index).trim();
      if (element !== "") elements.push(element);
      start = index + 1;
    }
    if (opens(word)) depth += 1;
    if (closes(word)) depth -= 1;
  }
  return elements;
}

/** The same tokens in the layout of the reference clients: two spaces, no newline at the end. */
export function laidOut(text: string): string {
  let out = "";
  let depth = 0;
  let last: string | undefined;
  for (const [word] of text.matchAll(token)) {
    if (closes(word)) depth -= 1;
    const isLine = closes(word) ? !opens(last) : opens(last) || last === ",";
    if (isLine) out += `\n${"  ".repeat(depth)}`;
    out += word === ":" ? ": " : word;
    if (opens(word)) depth += 1;
    last = word;
  }
  return out;
}

/** A text for a column of type `json`: what is none, or only a string, stands in it as a string. */
export function asJson(text: string): string {
  const value = parsed(text);
  return value === undefined || typeof value === "string" ? JSON.stringify(text) : text;
}

/** The text that `asJson` was given. */
export const fromJson = (doc: string): string => (doc.trimStart().startsWith('"') ? JSON.parse(doc) : doc);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
