/**
 * The paths that a text imports with `@path`, in order and each once; what stands in a code span or
 * a code block imports nothing.
 */
export function importsIn(text: string): readonly string[] {
  const found = paragraphsOf(text).flatMap((paragraph) =>
    [...withoutSpans(paragraph).matchAll(/(?<!\S)@((?:\\ |\S)+)/g)].map(([, path = ""]) => pathOf(path)),
  );
  return [...new Set(found.filter((path) => path !== ""))];
}

/**
 * A space in a path is written with a backslash; the stop at the end of a sentence is not part of
 * it.
 */
const pathOf = (written: string): string => {
  const path = written.replaceAll("\\ ", " ");
  let end = path.length;
  while (end > 0 && ".,;:!?)]}".includes(path.charAt(end - 1))) end -= 1;
  return path.slice(0, end);
};

/** The first or last line of a code block, also in a list or a quotation. */
const fenceLine = /^\s*(?:(?:[-*+]|\d{1,9}[.)]) +|> ?)*(`{3,}|~{3,})(.*)$/;

/** The prose of a text: what is between blank lines and code blocks. */
function paragraphsOf(text: string): readonly string[] {
  const paragraphs: string[] = [];
  let lines: string[] = [];
  let fence: string | undefined;
  let isInList = false;
  let isAfterBlank = true;
  const flush = () => {
    paragraphs.push(lines.join("\n"));
    lines = [];
  };
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, mark, info = ""] = fenceLine.exec(line.trimEnd()) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && info === "") fence = undefined;
      continue;
    }
    if (line.trim() === "") {
      flush();
      isAfterBlank = true;
      continue;
    }
    const isIndented = /^(?: {4}| {0,3}\t)/.test(line);
    if (!isIndented) isInList = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/.test(line) || (isInList && line.startsWith(" "));
    const isOutside = isIndented && !isInList;
    if (isOutside && isAfterBlank) continue;
    isAfterBlank = false;
    if (mark && !isOutside && !(mark.startsWith("`") && info.includes("`"))) {
      flush();
      fence = mark;
      isAfterBlank = true;
    } else lines.push(line);
  }
  flush();
  return paragraphs;
}

/**
 * A run of backticks opens a code span only where a run of the same length closes it; each is
 * looked up once, so the time stays linear.
 */
function withoutSpans(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)];
  const closing: (number | undefined)[] = [];
  const nextOfLength = new Map<number, number>();
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const length = runs[at]?.[0].length ?? 0;
    closing[at] = nextOfLength.get(length);
    nextOfLength.set(length, at);
  }
  let prose = "";
  let from = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const close = closing[at];
    if (close === undefined) continue;
    prose += `${paragraph.slice(from, runs[at]?.index)}\``;
    from = (runs[close]?.index ?? 0) + (runs[close]?.[0].length ?? 0);
    at = close;
  }
  return prose + paragraph.slice(from);
}
