import { isKnownTool, parseToolRule, similarTool, splitToolList } from "../../tool-rules.ts";
import { kindOf, quoted } from "../field-reader.ts";
import { goneTools } from "../legal-values.ts";
import { type Complaint, given, type LintRule, type LintSubject } from "./rule.ts";

/** The rules about tools. */
export const toolRules: readonly LintRule[] = [
  {
    id: "V-AG-05",
    severity: "error",
    title: "tools names tools that exist, and Task(type) is well-formed",
    check: (subject) => [...uselessList(subject), ...listComplaints(subject, "tools")],
  },
  {
    id: "V-AG-06",
    severity: "error",
    title: "disallowedTools names tools that exist",
    check: (subject) => listComplaints(subject, "disallowedTools"),
  },
  {
    id: "V-AG-07",
    severity: "error",
    title: "tools and disallowedTools are not combined",
    check(subject) {
      if (!isFilled(given(subject, "tools")) || !isFilled(given(subject, "disallowedTools"))) return [];
      const message = "tools and disallowedTools are both given; the agent has tools without disallowedTools";
      const fix = "keep tools alone, without what is disallowed";
      return [{ path: ["disallowedTools"], message, fix, ...(subject.client && { severity: "note" }) }];
    },
  },
];

/** An empty list counts as absent. */
const isFilled = (list: unknown): boolean =>
  Array.isArray(list) ? list.length > 0 : list !== undefined && String(list).trim() !== "";

function listComplaints(subject: LintSubject, key: "tools" | "disallowedTools"): Complaint[] {
  const list = given(subject, key);
  if (list === undefined) return [];
  if (typeof list !== "string" && !Array.isArray(list)) {
    return [{ path: [key], message: `${key} is ${kindOf(list)}, not a list`, fix: `write ${key}: Read, Grep` }];
  }
  if (typeof list === "string") return splitToolList(list).flatMap((item) => itemComplaints(subject, item, [key]));
  return list.flatMap((item: unknown, index) => {
    const path = [key, index];
    if (typeof item === "string") return splitToolList(item).flatMap((one) => itemComplaints(subject, one, path));
    return [{ path, message: `${key} holds ${quoted(item)}, not a tool's name`, fix: "write a name, or remove it" }];
  });
}

/**
 * A list that leaves the agent of 2026-11 without any tool; whether an MCP tool exists is not known
 * here.
 */
function uselessList(subject: LintSubject): Complaint[] {
  if (!subject.client || !Object.hasOwn(subject.fields, "tools")) return [];
  const path = ["tools"];
  const list = subject.fields["tools"];
  if (!isFilled(list ?? undefined)) {
    const message = "tools is empty, and Claude Code starts the agent without any tool";
    return [{ path, message, fix: "remove the line to leave it every tool, or name some", severity: "warning" }];
  }
  const items = (Array.isArray(list) ? list : [list]).filter((item) => typeof item === "string");
  const tools = splitToolList(items);
  if (tools.length === 0 || tools.some((tool) => isThere(subject, tool))) return [];
  const message = "tools names no tool that exists, and Claude Code refuses to start the agent";
  return [{ path, message, fix: "write tools: Read, Grep, or remove the line to leave it every tool" }];
}

/** A name in front of parentheses counts, whatever stands in them. */
const isThere = ({ surroundings }: LintSubject, tool: string): boolean => {
  const name = /^[^(]*/.exec(tool)?.[0].trim() ?? "";
  return isKnownTool(name) || (surroundings.tools?.includes(name) ?? false);
};

function itemComplaints({ surroundings }: LintSubject, item: string, path: readonly PropertyKey[]): Complaint[] {
  const { rule, problem } = parseToolRule(item);
  const [key] = path;
  if (problem) return [{ path, message: `${String(key)}: ${problem.message}`, fix: problem.fix }];
  if (rule.kind !== "tool" || isKnownTool(rule.spelling) || surroundings.tools?.includes(rule.spelling)) return [];
  const message = `${String(key)} names ${quoted(rule.spelling)}, which is no tool`;
  const meant = goneTools.get(rule.spelling) ?? similarTool(rule.spelling);
  if (meant) return [{ path, message, fix: `write ${meant}` }];
  if (rule.spelling === "LS") return [{ path, message, fix: "remove it: Glob finds files, and Bash lists them" }];
  return [{ path, message, fix: 'write a built-in tool such as Read, or "mcp__server__tool", or remove it' }];
}
