/** A position in a text; both numbers count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Returns the position of the value that a JSON Pointer names, or of its nearest parent that
 * exists.
 */
export function positionOf(text: string, pointer: string): Position {
  const wanted = pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const stack: { key: string | number; readonly isList: boolean; isKey: boolean }[] = [];
  let best = 0;
  let depth = -1;
  for (const { word, index } of tokensOf(text)) {
    const inside = stack.at(-1);
    if (word === "," && inside) {
      if (typeof inside.key === "number") inside.key += 1;
      inside.isKey = !inside.isList;
    } else if (word === ":" && inside) inside.isKey = false;
    else if (word === "}" || word === "]") stack.pop();
    else if (inside?.isKey) inside.key = keyFrom(word);
    else {
      // A value begins here: check whether it lies on the path.
      const isOnWay = stack.length <= wanted.length && stack.every(({ key }, at) => String(key) === wanted[at]);
      if (isOnWay && stack.length > depth) [best, depth] = [index, stack.length];
      if (depth === wanted.length) break;
      if (word === "{" || word === "[") stack.push({ key: 0, isList: word === "[", isKey: word === "{" });
    }
  }
  const before = text.slice(0, best).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Strings are scanned by hand, because the pattern overflows on a long one. */
function* tokensOf(text: string): Generator<{ readonly word: string; readonly index: number }> {
  const token = /["{}[\],:]|[^\s{}[\],:"]{1,1000}/g;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const { 0: word, index } = match;
    if (word === '"') token.lastIndex = stringEnd(text, index);
    yield { word: word === '"' ? text.slice(index, token.lastIndex) : word, index };
  }
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function keyFrom(word: string): string {
  try {
    return String(JSON.parse(word));
  } catch {
    return word;
  }
}
