import type { Argument } from "./argument.ts";

/** Which options of a program are known, and to do no harm. */
export interface Options {
  /** Letters that stand alone. */
  readonly flags?: string;
  /** Letters that take a value, attached or as the next word. */
  readonly values?: string;
  /** Letters that take what is attached to them, if anything, and never the next word. */
  readonly attached?: string;
  /** Long names; one that ends in `=` takes a value. */
  readonly long?: readonly string[];
  /** A number alone is an option. */
  readonly isNumbered?: boolean;
  /**
   * It cuts words in its own way, so that each letter has to stand alone, and its value in the next
   * word.
   */
  readonly isApart?: boolean;
  /** Whether the next word is taken as a value is not sure: it is an operand as well. */
  readonly isLoose?: boolean;
}

export interface Cut {
  /** Each option as one letter or a long name, with its value. */
  readonly found: readonly { readonly name: string; readonly value?: string }[];
  readonly operands: readonly Argument[];
  /** How many operands stand before the word that ends options; undefined without one. */
  readonly end?: number;
}

/**
 * Options and the rest; undefined where an option is not known, or may yet come out of a glob or of
 * names that are printed.
 */
export function cutOptions(words: readonly Argument[], options: Options, isWildFine = false): Cut | undefined {
  const { flags = "", values = "", attached = "", long = [] } = options;
  const { isLoose = false, isNumbered = false, isApart = false } = options;
  const found: { name: string; value?: string }[] = [];
  const operands: Argument[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (!word || (word.glob === "wild" && !isWildFine)) return undefined;
    const { text } = word;
    if (isApart && text === "--") return undefined;
    if (text === "--") return { found, operands: [...operands, ...words.slice(at + 1)], end: operands.length };
    if (!/^-./.test(text)) {
      operands.push(word);
      continue;
    }
    if (word.glob !== undefined) return undefined;
    const [, name, value] = /^--([a-z][a-z-]*)(?:=(.*))?$/s.exec(text) ?? [];
    if (name !== undefined) {
      const isValued = long.includes(`${name}=`);
      if (!isValued && (value !== undefined || !long.includes(name))) return undefined;
      const taken = isValued && value === undefined && !long.includes(name) ? next() : undefined;
      if (isValued && value === undefined && !long.includes(name) && taken === undefined) return undefined;
      found.push({ name, value: value ?? taken ?? "" });
      continue;
    }
    if (isApart && text.length > 2) return undefined;
    if (isNumbered && /^-[0-9]+$/.test(text)) continue;
    for (let letter = 1; letter < text.length; letter += 1) {
      const name = text.charAt(letter);
      if (flags.includes(name)) found.push({ name });
      else if (attached.includes(name)) {
        found.push({ name, value: text.slice(letter + 1) });
        break;
      } else if (values.includes(name)) {
        const value = text.slice(letter + 1) || next();
        if (value === undefined) return undefined;
        found.push({ name, value });
        break;
      } else return undefined;
    }

    /** The word that an option takes as its value. */
    function next(): string | undefined {
      at += 1;
      const taken = words[at];
      if (!taken || taken.glob !== undefined || taken.isBelow) return undefined;
      if (isLoose && taken.text.startsWith("-")) return undefined;
      if (isLoose) operands.push(taken);
      return taken.text;
    }
  }
  return { found, operands };
}
