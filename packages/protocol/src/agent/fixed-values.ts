import { isKnownTool, similarTool } from "../tool-rules.ts";
import { openAgentFile } from "./agent-file.ts";
import { type Edited, editField, type FixedAgentFile, unchanged } from "./fixed-lines.ts";
import { agentColors, goneTools, memoryScopes, modelAliases } from "./legal-values.ts";
import { parseAgentDefinition } from "./parse.ts";

/**
 * Tools that no longer exist or are in the wrong case; one whose successor is already listed is
 * removed.
 */
export const fixTools = (text: string): FixedAgentFile =>
  (["tools", "disallowedTools"] as const).reduce<FixedAgentFile>((found, key) => {
    const misnamed = (listOf(text, key) ?? []).filter((tool) => todayOf(tool) !== undefined);
    return misnamed.reduce((fixed, tool) => fixTool(fixed, key, tool, todayOf(tool) ?? tool), found);
  }, unchanged(text));

const listOf = (text: string, key: "tools" | "disallowedTools"): readonly string[] | undefined =>
  parseAgentDefinition(text).definition?.[key];

const todayOf = (tool: string): string | undefined =>
  isKnownTool(tool) || !/^\w+$/.test(tool) ? undefined : (goneTools.get(tool) ?? similarTool(tool));

function fixTool(found: FixedAgentFile, key: "tools" | "disallowedTools", tool: string, today: string): FixedAgentFile {
  const tools = listOf(found.text, key) ?? [];
  const isThere = tools.includes(today);
  const next = isThere ? withoutTool(found.text, key, tool) : replaced(found.text, key, tool, today);
  const wanted = isThere ? tools.filter((one) => one !== tool) : tools.map((one) => (one === tool ? today : one));
  if (!next || listOf(next.text, key)?.join() !== wanted.join()) return found;
  const message = isThere ? `${key}: ${tool} is removed, since ${today} is there` : `${key}: ${tool} becomes ${today}`;
  const rule = key === "tools" ? "V-AG-05" : "V-AG-06";
  return { text: next.text, fixes: [...found.fixes, { rule, line: next.line, message }] };
}

/**
 * Values that are legal in other letters. A permission mode is not among them: it may not grant
 * more by a guess.
 */
export function fixLetters(text: string): FixedAgentFile {
  const fields = [
    ["model", modelAliases, "V-AG-08"],
    ["memory", memoryScopes, "V-AG-11"],
    ["color", agentColors, "V-AG-16"],
  ] as const;
  return fields.reduce<FixedAgentFile>((found, [key, values, rule]) => {
    const value = openAgentFile(found.text).document?.fields[key];
    const meant = typeof value === "string" ? values.find((one) => one === value.toLowerCase()) : undefined;
    if (typeof value !== "string" || meant === undefined || meant === value) return found;
    const next = replaced(found.text, key, value, meant);
    if (!next) return found;
    const message = `${key}: ${value} becomes ${meant}`;
    return { text: next.text, fixes: [...found.fixes, { rule, line: next.line, message }] };
  }, unchanged(text));
}

/** A number in quotes. */
export function fixTurns(text: string): FixedAgentFile {
  const value = openAgentFile(text).document?.fields["maxTurns"];
  if (typeof value !== "string" || !/^[1-9]\d{0,8}$/.test(value)) return unchanged(text);
  const next = editField(text, "maxTurns", (line) => line.replace(new RegExp(`(["'])${value}\\1`), value));
  if (!next) return unchanged(text);
  const message = `maxTurns: ${value} is a number, without quotes`;
  return { text: next.text, fixes: [{ rule: "V-AG-10", line: next.line, message }] };
}

/** A word of a field's value in place of another. */
const replaced = (text: string, key: string, word: string, other: string): Edited | undefined =>
  editField(text, key, (line) => line.replace(new RegExp(`(^|[\\s,["'])${word}(?=[\\s,\\]"']|$)`), `$1${other}`));

/** A list without one of its words, which stands between commas or alone on its line. */
function withoutTool(text: string, key: string, tool: string): Edited | undefined {
  const word = `["']?${tool}["']?`;
  const alone = new RegExp(`^\\s*-\\s+${word}\\s*$`);
  const behind = new RegExp(`\\s*,\\s*${word}(?=\\s*[,\\]"']|\\s*$)`);
  const before = new RegExp(`(^|[\\s["'])${word}\\s*,\\s*`);
  return editField(text, key, (line) => {
    if (alone.test(line)) return undefined;
    return behind.test(line) ? line.replace(behind, "") : line.replace(before, "$1");
  });
}
