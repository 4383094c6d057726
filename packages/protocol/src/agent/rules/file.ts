import { takenAsText } from "../agent-file.ts";
import type { AgentProblem, Position } from "../agent-problem.ts";
import { type ClientReading, clientMaxBytes } from "../client-reading.ts";
import type { Complaint, LintRule, LintSubject } from "./rule.ts";

/** The rules about the file itself, which hold even if its front matter cannot be read. */
export const fileRules: readonly LintRule[] = [
  {
    id: "V-AG-01",
    severity: "error",
    title: "the file is an .md file under agents/",
    check({ path, client }) {
      const [name = "", ...directories] = path.split(/[/\\]/).toReversed();
      const place = { line: 1, column: 1 };
      if (!name.endsWith(".md")) {
        const message = `${JSON.stringify(name)} does not end in .md`;
        return [{ path: [], message, fix: "call the file <name>.md", place, isIgnored: true }];
      }
      if (directories.includes("agents")) return [];
      const message = `the file is not under a directory called agents`;
      const fix = "move the file to .claude/agents/ or ~/.claude/agents/";
      return [{ path: [], message, fix, place, ...(client && { severity: "note" }) }];
    },
  },
  {
    id: "V-AG-02",
    severity: "error",
    title: "the front matter is valid YAML",
    check(subject) {
      const { file, client } = subject;
      const found = file.problems.filter(({ code }) => codes.has(code)).map(complaint);
      const others = [...marked(subject), ...(isCutShort(subject) ? [cutShort(subject.clientEnd)] : [])];
      if (!client || client.fields) return [...found, ...others];
      const [first = unread(subject, client), ...rest] = found;
      const fatal = { ...first, message: first.message.replace(takenAsText, ""), isIgnored: true };
      return [fatal, ...rest, ...others.filter(({ message }) => message !== first.message)];
    },
  },
];

/** A byte order mark, which is nothing for Claude Code of 2026-11. */
const marked = ({ file, client }: LintSubject): Complaint[] =>
  file.problems
    .filter(({ code }) => code === "bom_present")
    .map((problem) => ({
      ...complaint(problem),
      message: `${problem.message}, for which clients of revision 2026-02 ignore it`,
      ...(client && { severity: "note" as const }),
    }));

const codes: ReadonlySet<string> = new Set(["document_malformed", "key_duplicated", "text_not_utf8"]);

const complaint = ({ message, fix, line = 1, column = 1 }: AgentProblem): Complaint => ({
  path: [],
  message,
  fix,
  place: { line, column },
});

/** Reports what Claude Code cannot read although this reader can. */
function unread(subject: LintSubject, { fault }: ClientReading): Complaint {
  if (isCutShort(subject)) return cutShort(subject.clientEnd);
  const place = { line: 1, column: 1 };
  if (fault === undefined) {
    const message = "the first line is not exactly --- with a line end of LF or CRLF";
    return { path: [], message, fix: "begin the file with a line of ---", place };
  }
  const fix = fault.includes(`${clientMaxBytes}`) ? "make the file smaller" : "write it as plain fields, one to a line";
  return { path: [], message: `the front matter cannot be read: ${fault}`, fix, place };
}

const isCutShort = ({ file: { document, bodyLine }, clientEnd }: LintSubject): boolean =>
  document !== undefined && clientEnd !== undefined && clientEnd.line < bodyLine - 1;

const cutShort = (place: Position = { line: 1, column: 1 }): Complaint => ({
  path: [],
  message: "this line is ---, where Claude Code ends the front matter: it reads the rest as the prompt",
  fix: "use other characters than three hyphens in the front matter",
  severity: "warning",
  place,
});
