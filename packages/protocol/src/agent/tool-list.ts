import { isKnownTool, parseToolRule, similarTool, splitToolList } from "../tool-rules.ts";
import { type FieldReader, kindOf, quoted } from "./field-reader.ts";

/**
 * Reads `tools` or `disallowedTools`. An unreadable list makes the definition unusable: without its
 * limit the agent could do too much. A single unreadable entry stays in the list, where it allows
 * nothing.
 */
export function readToolList(reader: FieldReader, key: "tools" | "disallowedTools"): string[] | "unusable" | undefined {
  const value = reader.value(key);
  if (value === undefined) return undefined;
  const texts = (Array.isArray(value) ? value : [value]).map((entry: unknown, index) => {
    if (typeof entry === "string") return entry;
    if (!Array.isArray(value)) return undefined;
    return entry === null ? "" : reader.source([key, index]);
  });
  if (!texts.every((text) => text !== undefined)) {
    const what = Array.isArray(value) ? "a list of other things than names" : `${kindOf(value)}, not a list`;
    reader.report([key], `${key} is ${what}`, `write ${key} as a list of names: ${key}: Read, Grep`);
    return "unusable";
  }
  const list = texts.length === 1 ? [texts[0]?.replace(/^\[(.*)\]$/s, "$1") ?? ""] : texts;
  const tools = splitToolList(list).map((item) => item.replace(/^(["'])(.*)\1$/s, "$2"));
  const isOneToAnEntry = tools.length === texts.length;
  for (const [index, tool] of tools.entries()) {
    const path = isOneToAnEntry ? [key, index] : [key];
    const { rule, problem } = parseToolRule(tool);
    if (problem) reader.report(path, `${key}: ${problem.message}`, problem.fix);
    const similar = rule?.kind === "tool" && !isKnownTool(rule.spelling) ? similarTool(rule.spelling) : undefined;
    if (similar) reader.report(path, `${key} names ${quoted(tool)}; the tool is called ${similar}`, `write ${similar}`);
  }
  return tools;
}
