/** The text of a command, and how much of it is certain. */
export interface CommandText {
  readonly text: string;
  readonly known: number;
}

/** What stands in the parentheses of `Bash(…)`. */
export interface CommandRule {
  /** Whatever stands for what is not certain counts as an argument like any other. */
  fits(command: CommandText): boolean;
  /** It does not fit as it is written, but could once the shell has put in what it puts in. */
  mayFit(command: CommandText): boolean;
}

/** `git push` is that command, `git push:*` and `git push *` that and whatever follows; a `*` elsewhere is any text. */
export function commandRule(argument: string): CommandRule {
  const pattern = argument.trim().replace(/[ \t]+/g, " ");
  const prefix = /^(.*?)(?::\*| \*)$/s.exec(pattern)?.[1];
  const patterns = prefix === undefined ? [pieces(pattern)] : [pieces(prefix), pieces(`${prefix} *`)];
  const head = patterns[0]?.[0] ?? "";
  return {
    fits: ({ text }) => patterns.some((one) => isMatch(one, text)),
    mayFit({ text, known }) {
      if (known >= text.length) return false;
      const certain = text.slice(0, known);
      return head.startsWith(certain) || certain.startsWith(head);
    },
  };
}

/** The literal texts between the stars; `\*` is a star itself. */
function pieces(pattern: string): readonly string[] {
  return pattern.split(/(?<!\\)\*/).map((piece) => piece.replaceAll("\\*", "*"));
}

function isMatch(literals: readonly string[], text: string): boolean {
  const [first = "", ...rest] = literals;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
