import type { ToolOutcome } from "./tool.ts";

/** No result says more than this many characters. */
export const maxCharacters = 30_000;

export const said = (text: string): ToolOutcome => ({ content: [{ type: "text", text }] });

/** A call that did not do what was asked; the text says what to do instead. */
export const failed = (text: string): ToolOutcome => ({ ...said(text), isError: true });

/** The beginning of a text that is too long, and how to see more of it. */
export function bounded(text: string, hint: string, limit = maxCharacters): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).toWellFormed()}\n… [cut after ${limit} of ${text.length} characters; ${hint}]`;
}
