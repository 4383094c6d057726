import { openAgentFile } from "./agent-file.ts";
import type { LintRuleId } from "./rules/rule.ts";

/** One thing that was repaired. */
export interface AgentFix {
  readonly rule: LintRuleId;
  /** In the file as it is after the fixes before this one, from 1. */
  readonly line: number;
  readonly message: string;
}

/**
 * A definition's file, fixed where the meaning is certain; the text below the front matter stays
 * byte for byte.
 */
export interface FixedAgentFile {
  readonly text: string;
  readonly fixes: readonly AgentFix[];
}

export const unchanged = (text: string): FixedAgentFile => ({ text, fixes: [] });

/** The lines of a text, each with its own end. */
export const linesOf = (text: string): string[] => text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];

export const bareLine = (line: string): string => line.replace(/[\r\n]+$/, "");

/** A text after one change, and the line of it. */
export interface Edited {
  readonly text: string;
  readonly line: number;
}

/** Changes the first line of a field that the callback changes; undefined removes the line. */
export function editField(text: string, key: string, work: (line: string) => string | undefined): Edited | undefined {
  const { document, bodyLine } = openAgentFile(text);
  const first = document?.place([key])?.line;
  if (document === undefined || first === undefined) return undefined;
  const places = Object.keys(document.fields).flatMap((other) => document.place([other])?.line ?? []);
  const end = Math.min(bodyLine - 1, ...places.filter((line) => line > first));
  const lines = linesOf(text);
  for (let line = first; line < end; line++) {
    const whole = lines[line - 1] ?? "";
    const own = bareLine(whole);
    const start = line === first ? own.indexOf(":") + 1 : 0;
    const made = work(own.slice(start));
    if (made === own.slice(start)) continue;
    const written = made === undefined ? [] : [`${own.slice(0, start)}${made}${whole.slice(own.length)}`];
    return { text: [...lines.slice(0, line - 1), ...written, ...lines.slice(line)].join(""), line };
  }
  return undefined;
}
