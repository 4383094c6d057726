/** What an exact scan of a JSON text finds and `JSON.parse` hides. */
export interface Scan {
  /** The end of the first complete value; undefined if there is none. */
  readonly end: number | undefined;
  /** The position where the text stops being JSON, and whether it is only cut off. */
  readonly fault: { readonly position: number; readonly isCut: boolean } | undefined;
  /** The first places of each kind; a hostile text could have millions. */
  readonly duplicates: readonly Path[];
  /** Numbers that a rewrite would change: integers beyond 2^53 and those that become infinite. */
  readonly unsafeNumbers: readonly Path[];
  readonly depth: number;
}

type Path = readonly (string | number)[];

interface Container {
  readonly keys: Set<string> | undefined;
  /** The key or index of the value being read. */
  at: string | number;
}

const maxPlaces = 100;
const literals = ["true", "false", "null"];
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const space = /[ \t\n\r]*/y;
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Parses one value with an explicit stack, so that depth is bounded by memory only. */
export function scanJson(text: string): Scan {
  const duplicates: Path[] = [];
  const unsafeNumbers: Path[] = [];
  const stack: Container[] = [];
  let position = 0;

  let depth = 0;

  const note = (places: Path[]) => {
    if (places.length < maxPlaces) places.push(stack.map(({ at }) => at));
  };
  const skipSpace = () => {
    space.lastIndex = position;
    space.test(text);
    position = space.lastIndex;
  };
  const done = (end?: number, isCut = position >= text.length): Scan => ({
    end,
    fault: end === undefined ? { position: Math.min(position, text.length), isCut } : undefined,
    duplicates,
    unsafeNumbers,
    depth,
  });
  /** True when the key and its colon stand before the next value. */
  const readKey = (container: Container): boolean => {
    const start = position;
    if (text[position] !== '"') return false;
    const end = stringEnd(text, position);
    position = end.position;
    if (!end.isWhole) return false;
    const key = JSON.parse(text.slice(start, position)) as string;
    container.at = key;
    if (container.keys?.has(key)) note(duplicates);
    container.keys?.add(key);
    skipSpace();
    if (text[position] !== ":") return false;
    position += 1;
    skipSpace();
    return true;
  };

  skipSpace();
  for (;;) {
    const char = text[position];
    if (char === "{" || char === "[") {
      position += 1;
      skipSpace();
      const container: Container = { keys: char === "{" ? new Set() : undefined, at: 0 };
      if (text[position] !== (char === "{" ? "}" : "]")) {
        stack.push(container);
        depth = Math.max(depth, stack.length);
        if (container.keys && !readKey(container)) return done();
        continue;
      }
      position += 1;
    } else if (char === '"') {
      const end = stringEnd(text, position);
      position = end.position;
      if (!end.isWhole) return done();
    } else {
      const literal = literals.find((word) => text.startsWith(word, position));
      number.lastIndex = position;
      if (literal) position += literal.length;
      else if (number.test(text)) {
        const token = text.slice(position, number.lastIndex);
        position = number.lastIndex;
        if (!isSafe(token)) note(unsafeNumbers);
      } else return done(undefined, isPrefix(text.slice(position, position + 5)));
    }

    // A value is complete: close what it completes, then find the next one.
    for (;;) {
      const container = stack.at(-1);
      if (!container) return done(position);
      skipSpace();
      if (text[position] === ",") {
        position += 1;
        skipSpace();
        if (!container.keys) container.at = (container.at as number) + 1;
        else if (!readKey(container)) return done();
        break;
      }
      if (text[position] !== (container.keys ? "}" : "]")) return done(undefined, isPrefixOfNumber(text, position));
      position += 1;
      stack.pop();
    }
  }
}

/** The end of the string that opens at `start`, or where it breaks. */
function stringEnd(text: string, start: number): { position: number; isWhole: boolean } {
  let position = start + 1;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === 0x22) return { position: position + 1, isWhole: true };
    if (code < 0x20) return { position, isWhole: false };
    if (code === 0x5c) {
      escapeSequence.lastIndex = position;
      if (!escapeSequence.test(text)) {
        return { position: text.length - position < 6 ? text.length : position, isWhole: false };
      }
      position = escapeSequence.lastIndex;
    } else position += 1;
  }
  return { position, isWhole: false };
}

/** Fifteen digits always survive a double; more only where it happens to hold the very number. */
function isSafe(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER || String(value) === token) return true;
  const digits = token
    .replace(/[eE].*/, "")
    .replace(/[-.]/g, "")
    .replace(/^0+/, "");
  return digits.replace(/0+$/, "").length <= 15;
}

/** Whether the text ends here, or within a number that is cut off. */
const isPrefixOfNumber = (text: string, position: number): boolean =>
  position >= text.length ||
  (/[0-9]/.test(text[position - 1] ?? "") && /^(?:\.|[eE][+-]?)$/.test(text.slice(position, position + 3)));

/** Could more bytes make this the start of a literal or a number? */
const isPrefix = (rest: string): boolean =>
  rest === "" || rest === "-" || literals.some((word) => rest.length < word.length && word.startsWith(rest));
