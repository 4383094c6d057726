import { isKnownTool, parseToolRule, similarTool, splitToolList } from "../../tool-rules.ts";
import { kindOf, quoted } from "../field-reader.ts";
import { type Complaint, given, type LintRule, type LintSubject } from "./rule.ts";

/** The rules about tools. */
export const toolRules: readonly LintRule[] = [
  {
    id: "V-AG-05",
    severity: "error",
    title: "tools names tools that exist, and Task(type) is well-formed",
    check: (subject) => listComplaints(subject, "tools"),
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
    title: "tools and disallowedTools do not stand together",
    check(subject) {
      if (!isFilled(given(subject, "tools")) || !isFilled(given(subject, "disallowedTools"))) return [];
      const message = "tools and disallowedTools stand together; what is left is tools without disallowedTools";
      return [{ path: ["disallowedTools"], message, fix: "keep tools alone, without what is disallowed" }];
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

function itemComplaints({ surroundings }: LintSubject, item: string, path: readonly PropertyKey[]): Complaint[] {
  const { rule, problem } = parseToolRule(item);
  const [key] = path;
  if (problem) return [{ path, message: `${String(key)}: ${problem.message}`, fix: problem.fix }];
  if (rule.kind !== "tool" || isKnownTool(rule.spelling) || surroundings.tools?.includes(rule.spelling)) return [];
  const similar = similarTool(rule.spelling);
  const fix = similar ? `write ${similar}` : 'write a built-in tool such as Read, or "mcp__server__tool"';
  return [{ path, message: `${String(key)} names ${quoted(rule.spelling)}, which is no tool`, fix }];
}
