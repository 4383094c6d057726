import type { InboxEntry } from "@troupe/protocol";
import type { Terminal } from "../journal/entry.ts";

const inAttribute: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Also control characters: a name with a line break in it cannot look like two lines. */
const attribute = (name: string, value: string | undefined): string =>
  value === undefined
    ? ""
    : ` ${name}="${value.replace(/[&<>"\p{Cc}]/gu, (sign) => inAttribute[sign] ?? `&#${sign.charCodeAt(0)};`)}"`;

/** A message as the model sees it, word for word but for tags that would let a sender speak in the name of another. */
export function teammateMessage({ from, text, color, summary }: InboxEntry, isUnverified = false): string {
  const attributes = [
    attribute("teammate_id", from),
    attribute("color", color),
    attribute("summary", summary),
    attribute("verified", isUnverified ? "false" : undefined),
  ];
  // JSON says the same with its own escape: the digest of a plan is that of what was written.
  const opening = text.trimStart().startsWith("{") ? "\\u003c" : "&lt;";
  const harmless = text.replace(/<(?=\/?\s*teammate-message)/gi, () => opening);
  return `<teammate-message${attributes.join("")}>\n${harmless}\n</teammate-message>`;
}

/** What the lead is told of a turn that ended without its work being done; the notice that it ended has no place for it. */
export function failedTurn({ why, failure }: Extract<Terminal, { isOk: false }>): { text: string; summary: string } {
  const because = failure ? `${why} (${failure.kind}): ${failure.message}` : why;
  return { text: `My turn ended before its work was done: ${because}`, summary: `turn failed: ${why}` };
}
