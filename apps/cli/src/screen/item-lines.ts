import { shownTold } from "../mail/message.ts";
import type { Printed, Span, Style } from "../paint.ts";
import { type CallLook, callLines } from "./call-lines.ts";
import { markdown } from "./markdown.ts";
import type { Item } from "./talk.ts";

/** How what stands in a conversation is shown. */
export interface ItemLook extends CallLook {
  /** The colour of a member. */
  readonly colorOf: (name: string) => Style;
}

/** An item as lines, below the one before it. */
export function itemLines(item: Item, before: Item | undefined, look: ItemLook): readonly Printed[] {
  const isFolded = item.kind === "call" && !look.isUnfolded;
  const isClose = (isFolded || item.kind === "notice") && before?.kind === item.kind;
  return isClose || before === undefined ? linesOf(item, look) : ["", ...linesOf(item, look)];
}

function linesOf(item: Item, look: ItemLook): readonly Printed[] {
  const { isSpoken, isUnfolded, colorOf } = look;
  switch (item.kind) {
    case "person":
      return item.text.split("\n").map((line, at): Printed => {
        const sign = isSpoken ? "You: " : "› ";
        const text = line.replaceAll("\t", "  ");
        return {
          hang: 2,
          spans: [
            { text: at === 0 ? sign : "  ", style: "cyan" },
            { text, style: "bold" },
          ],
        };
      });
    case "words":
      return markdown(item.text, isSpoken ? "" : "  ");
    case "call":
      return callLines(item.call, look);
    case "mail": {
      const { kind, line, text, besides } = shownTold(item.text);
      const told = isUnfolded ? [text, besides].filter(Boolean).join("\n\n") : text;
      const [said, more] = kind === "text" ? ["", item.text] : [` ${line}`, told.trimEnd()];
      const sign: Span = { text: isSpoken ? (said === "" ? "Message from " : "") : "✉ ", style: "dim" };
      const head: Printed = { hang: 4, spans: [sign, { text: item.from, style: colorOf(item.from) }, said] };
      return more === "" ? [head] : [head, ...markdown(isUnfolded ? more : shortened(more), "    ")];
    }
    case "plan":
      return [
        { text: item.from === undefined ? "── plan ──" : `── plan of ${item.from} ──`, style: "cyan" },
        ...markdown(item.text.trim(), "  "),
      ];
    case "whole":
      return item.blocks;
    case "notice":
    case "fault":
      return item.text.split("\n").map((line, at): Printed => {
        const style = item.kind === "fault" ? "red" : "dim";
        const text = line.replaceAll("\t", "  ");
        return {
          hang: 2,
          spans: [
            { text: at === 0 && !isSpoken ? "· " : "  ", style },
            { text, style },
          ],
        };
      });
  }
}

const longest = 12;

function shortened(text: string): string {
  const lines = text.split("\n");
  return lines.length <= longest ? text : [...lines.slice(0, longest), "…"].join("\n");
}
