import type { Revision } from "../revisions/revision.ts";
import type { AgentProblem } from "./agent-problem.ts";
import { bareLine, type FixedAgentFile, linesOf, unchanged } from "./fixed-lines.ts";
import { fixLetters, fixTools, fixTurns } from "./fixed-values.ts";
import { splitFrontMatter } from "./front-matter.ts";
import { lintAgentDefinition } from "./lint.ts";
import { parseAgentDefinition } from "./parse.ts";
import { repairYaml } from "./repaired-yaml.ts";
import { excessOf, readYaml } from "./yaml-document.ts";

/**
 * Fixes what has only one meaning: front matter that begins too late, missing quotes, tabs, old
 * tool names, wrong case. A change that would alter the definition beyond names is not made.
 */
export function fixAgentDefinition(text: string, revision: Revision = "2026-11"): FixedAgentFile {
  const steps = [fixMark, fixOpening, fixYaml, fixTools, fixLetters, fixTurns];
  return steps.reduce<FixedAgentFile>(
    (found, step) => {
      const next = step(found.text);
      const isBetter = next.fixes.length > 0 && isSound(found.text, next.text, revision);
      return isBetter ? { text: next.text, fixes: [...found.fixes, ...next.fixes] } : found;
    },
    { text, fixes: [] },
  );
}

/**
 * The same definition but for the fields that are repaired by name, and fewer findings than before.
 */
function isSound(before: string, after: string, revision: Revision): boolean {
  const meant = (text: string) => {
    const { definition } = parseAgentDefinition(text, { revision });
    const { tools, disallowedTools, model, color, memory, maxTurns, ...rest } = definition ?? {};
    return JSON.stringify(rest);
  };
  const findings = (text: string) => lintAgentDefinition({ path: "agents/a.md", text, revision }).length;
  return meant(before) === meant(after) && findings(after) < findings(before);
}

function fixMark(text: string): FixedAgentFile {
  if (!text.startsWith("\uFEFF")) return unchanged(text);
  return { text: text.slice(1), fixes: [{ rule: "V-AG-02", line: 1, message: "the byte order mark is removed" }] };
}

function fixOpening(text: string): FixedAgentFile {
  const above = (splitFrontMatter(text).matter?.yamlLine ?? 2) - 2;
  if (above === 0) return unchanged(text);
  const message = "the blank lines above the opening --- are removed";
  return { text: linesOf(text).slice(above).join(""), fixes: [{ rule: "V-AG-02", line: 1, message }] };
}

function fixYaml(text: string): FixedAgentFile {
  const { matter } = splitFrontMatter(text);
  const repaired = matter && !excessOf(matter.yaml) ? repairYaml(matter.yaml) : undefined;
  if (!matter || !repaired || !readYaml(matter.yaml, 1).problems.some(isMalformed)) return unchanged(text);
  const before = matter.yamlLine - 1;
  const lines = linesOf(text);
  const made = repaired.yaml.split("\n");
  // The closing fence follows the last line end, behind which there is an empty text.
  const count = made.length - 1;
  const old = lines.slice(before, before + count);
  const isGone = takenLines(old.map(bareLine), made);
  const written = old.flatMap((line, at) => {
    const own = bareLine(line);
    if (isGone[at]) return [];
    return made[at] === own ? [line] : laidOut(made[at] ?? "").map((one) => `${one}${line.slice(own.length)}`);
  });
  const fixes = repaired.repairs.map(({ line, field }) => ({
    rule: "V-AG-02" as const,
    line: matter.yamlLine + line,
    message: field === undefined ? "tabs that indent become blanks" : `${field} is written so that YAML can read it`,
  }));
  return { text: [...lines.slice(0, before), ...written, ...lines.slice(before + count)].join(""), fixes };
}

/** Which lines were taken into the text above them, and so the empty ones between the two. */
function takenLines(old: readonly string[], made: readonly string[]): readonly boolean[] {
  const taken: boolean[] = [];
  let hasText = false;
  for (let at = old.length - 1; at >= 0; at--) {
    hasText = made[at] === "" && (hasText || old[at] !== "");
    taken[at] = hasText;
  }
  return taken;
}

const isMalformed = ({ code }: AgentProblem): boolean => code === "document_malformed";

/** A quoted text of many lines as a block, which people can read. */
function laidOut(line: string): readonly string[] {
  const [, key, quoted = ""] = /^([^\s:]+): (".*\\n.*")$/.exec(line) ?? [];
  if (key === undefined) return [line];
  const text: string = JSON.parse(quoted);
  if (/^\s|[^\S\n ]|\p{Cc}(?<!\n)/u.test(text)) return [line];
  return [`${key}: |-`, ...text.split("\n").map((one) => (one === "" ? "" : `  ${one}`))];
}
