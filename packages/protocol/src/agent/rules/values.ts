import { type PermissionMode, permissionModes } from "../../permissions.ts";
import type { Revision } from "../../revisions/revision.ts";
import { quoted } from "../field-reader.ts";
import { agentColors, memoryScopes, modelAliases } from "../legal-values.ts";
import { type Complaint, given, type LintRule, type LintRuleId } from "./rule.ts";

/** Modes that a revision has given up and that are still taken. */
const outdatedModes: Readonly<Record<Revision, readonly PermissionMode[]>> = { "2026-02": [], "2026-11": ["delegate"] };

/**
 * Models that 2026-11 allows besides: more aliases, and full ids, with wider context or as other
 * providers spell them.
 */
const todaysModels = /^(fable|best|opusplan|(.*[./])?claude-[\w.:@-]+|[a-z]+(?=\[1m\]))(\[1m\])?$/i;

/** The rules about fields that hold one of a few values. */
export const valueRules: readonly LintRule[] = [
  {
    ...oneOf("V-AG-08", "error", "model", modelAliases),
    check(subject) {
      const model = given(subject, "model");
      if (model === undefined || modelAliases.some((alias) => alias === model)) return [];
      const complaint = wrongValue("model", model, modelAliases);
      if (!subject.client || typeof model !== "string") return [complaint];
      const alias = modelAliases.find((one) => one === model.toLowerCase());
      if (alias)
        return [{ ...complaint, message: `model is ${quoted(model)}, taken as ${alias}`, fix: `write ${alias}` }];
      const isTodays = todaysModels.test(model);
      const message = isTodays
        ? `model is ${quoted(model)}, which clients of revision 2026-02 ignore`
        : `model is ${quoted(model)}, which Claude Code sends to the API as it is`;
      return [{ ...complaint, message, ...(isTodays && { severity: "note" }) }];
    },
  },
  {
    id: "V-AG-09",
    severity: "error",
    title: "permissionMode is a mode of the revision",
    check(subject) {
      const mode = given(subject, "permissionMode");
      const modes: readonly string[] = permissionModes[subject.revision];
      if (mode === undefined || modes.includes(mode as string)) return [];
      const complaint = wrongValue("permissionMode", mode, modes);
      const isOutdated = outdatedModes[subject.revision].some((outdated) => outdated === mode);
      return [isOutdated ? { ...complaint, severity: "warning" } : complaint];
    },
  },
  {
    id: "V-AG-10",
    severity: "warning",
    title: "maxTurns is a positive whole number",
    check(subject) {
      const turns = given(subject, "maxTurns");
      if (turns === undefined || (Number.isSafeInteger(turns) && Number(turns) > 0)) return [];
      const message = `maxTurns is ${quoted(turns)}, no whole number from 1`;
      return [{ path: ["maxTurns"], message, fix: "write a number without quotes, such as maxTurns: 30" }];
    },
  },
  oneOf("V-AG-11", "error", "memory", memoryScopes),
  oneOf("V-AG-16", "warning", "color", agentColors),
];

function oneOf(id: LintRuleId, severity: LintRule["severity"], key: string, values: readonly string[]): LintRule {
  return {
    id,
    severity,
    title: `${key} is one of ${values.join(", ")}`,
    check(subject) {
      const value = given(subject, key);
      return value === undefined || values.includes(value as string) ? [] : [wrongValue(key, value, values)];
    },
  };
}

const wrongValue = (key: string, value: unknown, values: readonly string[]): Complaint => ({
  path: [key],
  message: `${key} is ${quoted(value)}, none of ${values.join(", ")}`,
  fix: `write one of ${values.join(", ")}, or remove the line`,
});
