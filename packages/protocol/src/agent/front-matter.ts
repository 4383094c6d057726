import type { AgentProblem } from "./agent-problem.ts";

/** A Markdown file, cut at its fences. */
export interface FrontMatter {
  /** The text between the fences, with LF line ends. */
  readonly yaml: string;
  /** The line in the file of the first line of `yaml`, from 1. */
  readonly yamlLine: number;
  /** Everything below the closing fence, with LF line ends. */
  readonly body: string;
  /** The line of the body's first character; the closing fence's own if the file ends there. */
  readonly bodyLine: number;
}

/** Cuts a file at its fences. Without `matter` the first problem says why there is none. */
export function splitFrontMatter(text: string): { matter?: FrontMatter; problems: AgentProblem[] } {
  const problems: AgentProblem[] = [];
  if (text.startsWith("\uFEFF")) {
    problems.push(
      fileProblem("bom_present", 1, "the file begins with a byte order mark", "save it as UTF-8 without BOM"),
    );
  }
  const lf = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  if (lf.includes("\u0000")) {
    const fix = "save the file as UTF-8; a shell of Windows writes UTF-16 unless told otherwise";
    return { problems: [fileProblem("text_not_utf8", 1, "the file holds NUL characters, so it is not UTF-8", fix)] };
  }
  const lost = lf.indexOf("\uFFFD");
  if (lost >= 0) {
    const line = countLines(lf, 0, lost) + 1;
    const message = `line ${line} holds characters that were lost in decoding`;
    problems.push(fileProblem("text_not_utf8", line, message, "save the file as UTF-8"));
  }

  const start = lf.length - lf.trimStart().length;
  const openLine = countLines(lf, 0, lf.lastIndexOf("\n", start - 1) + 1) + 1;
  const opening = lineAt(lf, lf.lastIndexOf("\n", start - 1) + 1);
  if (!isFence(opening.text))
    return { problems: [missing(opening.text, start === lf.length ? 1 : openLine), ...problems] };
  if (openLine > 1) {
    const message = `the front matter begins on line ${openLine}; other readers look for it on line 1 and see none`;
    problems.push(fileProblem("document_malformed", openLine, message, "remove the blank lines above the opening ---"));
  }

  const yamlLine = openLine + 1;
  let suspect: string | undefined;
  for (let at = opening.next, line = yamlLine; at < lf.length; line++) {
    const { text: current, next } = lineAt(lf, at);
    if (isFence(current)) {
      const bodyLine = lf.charAt(next - 1) === "\n" ? line + 1 : line;
      return { matter: { yaml: lf.slice(opening.next, at), yamlLine, body: lf.slice(next), bodyLine }, problems };
    }
    if (suspect === undefined && /^\s*([-–—_*=]{2,}|\.{3}|`{3,})\s*$/.test(current)) {
      suspect = `; line ${line} reads ${JSON.stringify(current)}, which is not a fence`;
    }
    at = next;
  }
  const message = `the front matter opened on line ${openLine} is never closed${suspect ?? ""}`;
  const fix = "put a line of exactly --- below the last field";
  return { problems: [fileProblem("document_malformed", openLine, message, fix), ...problems] };
}

const isFence = (line: string): boolean => /^---[ \t]*$/.test(line);

function missing(first: string, line: number): AgentProblem {
  const guesses: [RegExp, string, string][] = [
    [/^$/, "the file is empty", "begin it with front matter: ---, name, description, ---"],
    [/^---\s*\S/, `line ${line} opens no front matter, since it has more than ---`, "leave only --- on that line"],
    [/^\s+---/, `line ${line} opens no front matter, since --- is indented`, "remove the blanks before ---"],
    [/^[`~]{3}/, `the file begins with a code fence on line ${line}`, "remove the fence and its closing line"],
    [/^\+{3}/, `the front matter on line ${line} is TOML`, "write it as YAML between lines of ---"],
    [
      /^\s*\{/,
      `the file begins with JSON on line ${line}`,
      "put a line of --- above and below it, and the prompt after that",
    ],
    [
      /^["']?[A-Za-z][\w-]*["']?\s*:/,
      `line ${line} looks like front matter without its opening ---`,
      `put --- above line ${line}`,
    ],
  ];
  const [, message, fix] = guesses.find(([pattern]) => pattern.test(first)) ?? [
    undefined,
    "the file has no front matter",
    "begin it with a line of ---, then name: and description:, then another ---; or move it, if it is not a definition",
  ];
  return fileProblem("document_malformed", line, message, fix);
}

const fileProblem = (code: AgentProblem["code"], line: number, message: string, fix: string): AgentProblem => ({
  path: "",
  code,
  message,
  fix,
  line,
  column: 1,
});

function lineAt(text: string, at: number): { text: string; next: number } {
  const end = text.indexOf("\n", at);
  return end < 0 ? { text: text.slice(at), next: text.length } : { text: text.slice(at, end), next: end + 1 };
}

function countLines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
