import {
  agentTypes,
  coversTool,
  nameKey,
  type PermissionRule,
  type Problem,
  parseToolRule,
  splitToolList,
  type ToolRule,
} from "@troupe/protocol";
import { serverKey } from "../mcp/names.ts";
import { type CommandRule, commandRule } from "./command-rule.ts";
import { hostRule } from "./host.ts";
import { type PathRuleDeps, pathRule } from "./path-rule.ts";
import { withOriginal } from "./place.ts";

export type Behavior = "allow" | "ask" | "deny";

/** A rule as it is written somewhere. */
export interface RuleText {
  readonly behavior: Behavior;
  readonly text: string;
  /** Where it comes from: a settings source, or the destination of an update. */
  readonly source: string;
  /** The directory that `/path` in it begins with. */
  readonly base: string;
}

/** A rule that can be held against calls. */
export interface Rule extends RuleText {
  readonly tool: ToolRule;
  /** It speaks of every call of its tool. */
  readonly isWhole: boolean;
  readonly access?: "read" | "write";
  readonly isPlace?: (place: string) => boolean;
  readonly command?: CommandRule;
  readonly isHost?: (host: string) => boolean;
  readonly isInput?: (input: unknown) => boolean;
}

const readers = new Set(["Read", "Glob", "Grep", "LSP"]);
const writers = new Set(["Edit", "Write", "NotebookEdit"]);

/**
 * Reads rules. A rule to allow that cannot be read allows nothing; one to deny or to ask that
 * cannot be read stands for every tool it mentions, since the person who wrote it wanted less and
 * not more.
 */
export function readRules(
  texts: readonly RuleText[],
  deps: Omit<PathRuleDeps, "base">,
): { readonly rules: readonly Rule[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const rules = texts.flatMap((text) => {
    const { rule, problem } = parseToolRule(text.text.trim(), `/permissions/${text.behavior}`);
    if (rule) return [ruleOf(text, rule, deps)];
    problems.push({ ...problem, message: `${problem.message} (in the ${text.source} settings)` });
    return text.behavior === "allow" ? [] : mentioned(text.text).map((tool) => ({ ...text, tool, isWhole: true }));
  });
  return { rules, problems };
}

function mentioned(text: string): readonly ToolRule[] {
  const names = splitToolList(text.split(/[^\w*.-]+/).filter(Boolean));
  const rules = names.flatMap((name) => parseToolRule(name).rule ?? []);
  return rules.slice(0, 1);
}

function ruleOf(text: RuleText, written: ToolRule, deps: Omit<PathRuleDeps, "base">): Rule {
  const tool = text.behavior === "allow" ? written : asNamed(written);
  const rule = { ...text, tool };
  const argument = tool.kind === "tool" ? tool.argument : undefined;
  if (tool.kind !== "tool" || argument === undefined || argument.trim() === "*") return { ...rule, isWhole: true };
  const part = { ...rule, isWhole: false };
  const isWide = text.behavior !== "allow";
  if (readers.has(tool.name) || writers.has(tool.name)) {
    const access = readers.has(tool.name) ? "read" : "write";
    const fits = pathRule(argument, { ...deps, base: text.base }, isWide);
    return { ...part, access, isPlace: isWide ? (place) => withOriginal(place).some(fits) : fits };
  }
  if (tool.name === "WebFetch") return { ...part, isHost: hostRule(argument, isWide) };
  if (agentTypes(tool))
    return { ...part, isInput: (input) => namesAgent(tool, fieldOf(input, "subagent_type") ?? "general-purpose") };
  if (tool.name === "Skill") {
    const named = commandRule(argument);
    return { ...part, isInput: (input) => named.fits({ text: fieldOf(input, "skill") ?? "", known: 0 }) };
  }
  if (tool.name === "Bash" || tool.name === "PowerShell" || tool.name === "Monitor") {
    return { ...part, command: commandRule(argument) };
  }
  // The meaning of a tool's parentheses is not known: a rule to allow allows nothing, one to forbid
  // forbids every call.
  return isWide ? { ...rule, isWhole: true } : part;
}

/**
 * Two agents are the same if their keys are: models write `explore` for `Explore` and
 * `code_reviewer` for `code-reviewer`.
 */
export const agentKey = (type: string): string => nameKey(type.trim()).replace(/[-_\s]+/g, "");

/** Whether a rule about agents speaks of this type, however it is asked for. */
export const namesAgent = (rule: ToolRule, type: string): boolean =>
  agentTypes(rule)?.some((named) => named === "*" || agentKey(named) === agentKey(type)) ?? true;

/**
 * A rule that forbids may call a server by the name it has in the settings, which is not always the
 * one its tools have.
 */
function asNamed(tool: ToolRule): ToolRule {
  return tool.kind === "mcp" && tool.server !== undefined ? { ...tool, server: serverKey(tool.server) } : tool;
}

function fieldOf(input: unknown, name: string): string | undefined {
  if (typeof input !== "object" || input === null || !Object.hasOwn(input, name)) return undefined;
  const value = (input as Record<string, unknown>)[name];
  return typeof value === "string" ? value : undefined;
}

/**
 * Whether a rule speaks of a tool's calls: a rule about one writer speaks of all of them, since
 * each can do what the others do.
 */
export function speaksOf(rule: Rule, tool: string): boolean {
  if (coversTool(rule.tool, tool)) return true;
  if (rule.isWhole || rule.tool.kind !== "tool") return false;
  return (rule.access === "read" && readers.has(tool)) || (rule.access === "write" && writers.has(tool));
}

/** A rule of an update in one piece, as settings write it. */
export const ruleText = ({ toolName, ruleContent }: PermissionRule): string =>
  ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
