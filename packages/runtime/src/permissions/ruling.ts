import type { KnownPermissionUpdate, PermissionMode } from "@troupe/protocol";
import type { Bounds } from "../loop/tool.ts";
import type { Behavior, Rule } from "./rule.ts";

/** A mode an agent can work in. */
export type WorkingMode = PermissionMode | "bubble";

/** The outcome for one thing that a call does. */
export interface Ruling {
  readonly behavior: Behavior;
  readonly reason: string;
  readonly rule?: Rule;
  /** Allowed because of the mode, or as a plan: something is written there without a rule. */
  readonly isEdit?: boolean;
  /** Bounds of a command that nobody allowed. */
  readonly bounds?: Bounds;
  /** It is asked about even where nothing else is. */
  readonly holds?: boolean;
  /** Updates that would keep it from being asked about again. */
  readonly suggestions?: readonly KnownPermissionUpdate[];
}

/** Where and under what a call is judged. */
export interface Ground {
  readonly mode: WorkingMode;
  /** A question is denied instead, also in a mode that asks: the agent above asks nobody. */
  readonly asksNobody?: boolean;
  readonly rules: readonly Rule[];
  /** Where the shell stands. */
  readonly cwd: string;
  readonly home: string;
  /** The directories the agent works in, where they lead. */
  readonly roots: readonly string[];
  /** Directories it may read besides. */
  readonly readable: readonly string[];
  /** Where the agent keeps its memory: texts there it reads and edits as it likes. */
  readonly memory: readonly string[];
  /** Where plans lie: the one place where an agent that plans may write. */
  readonly plans: readonly string[];
}

export const allowed = (reason: string, rule?: Rule): Ruling => ({ behavior: "allow", reason, ...(rule && { rule }) });

/** The outcome of a rule that denies or asks. */
export const ruled = (rule: Rule): Ruling => ({
  behavior: rule.behavior,
  reason: `${rule.behavior === "deny" ? "denied" : "asked about"} by the rule ${rule.text} (${rule.source})`,
  rule,
  holds: true,
});

/** The outcome of a rule that may match something which cannot be seen. */
export const hidden = (rule: Rule): Ruling => ({
  behavior: "ask",
  reason: `a part of it cannot be read, and the rule ${rule.text} (${rule.source}) could match it`,
  rule,
  holds: true,
});

/** An update after which calls of this kind are allowed for the session. */
export const allowing = (toolName: string, ruleContent?: string): KnownPermissionUpdate => ({
  type: "addRules",
  rules: [{ toolName, ...(ruleContent !== undefined && { ruleContent }) }],
  behavior: "allow",
  destination: "session",
});

/** Of what is allowed, a rule says more than a mode, and a mode more than that it is harmless. */
function rank({ behavior, holds = false, rule, isEdit = false }: Ruling): number {
  if (behavior === "deny") return 0;
  if (behavior === "ask") return holds ? 1 : 2;
  if (rule && rule.access !== "read") return 3;
  return isEdit ? 4 : 5;
}

/**
 * With the bounds of a command that no rule and no mode allowed to do as it likes; what it reads by
 * a rule it only reads.
 */
export function bounded(ruling: Ruling, { mode, roots, plans }: Ground): Ruling {
  const { behavior, rule, isEdit = false } = ruling;
  if (behavior !== "allow" || mode === "bypassPermissions" || (rule && rule.access !== "read")) return ruling;
  const writable = isEdit ? [...(mode === "acceptEdits" ? roots : []), ...plans] : [];
  return { ...ruling, bounds: { writable } };
}

/** The strictest of several rulings, with what all the questions among them suggest. */
export function strictest(rulings: readonly Ruling[]): Ruling {
  const [first, ...rest] = rulings;
  if (!first) return allowed("it reaches nothing outside the conversation");
  const worst = rest.reduce((strict, ruling) => (rank(ruling) < rank(strict) ? ruling : strict), first);
  if (worst.behavior !== "ask") return worst;
  const questions = rulings.filter(({ behavior }) => behavior === "ask");
  // Where one question has no lasting answer, none of the others would spare anybody a question.
  if (questions.some(({ suggestions = [] }) => suggestions.length === 0)) return { ...worst, suggestions: [] };
  const all = questions.flatMap(({ suggestions = [] }) => suggestions);
  const seen = new Map(all.map((update) => [JSON.stringify(update), update]));
  return { ...worst, suggestions: [...seen.values()] };
}
