import type { Printed, Style } from "../paint.ts";
import { callLines } from "./call-lines.ts";
import { markdown } from "./markdown.ts";
import type { Item } from "./talk.ts";

/** How what stands in a conversation is shown. */
export interface ItemLook {
  /** Calls with all they gave. */
  readonly isUnfolded: boolean;
  /** For a screen reader: each part says in words what it is, where others see it by its place. */
  readonly isSpoken: boolean;
  /** The colour of a member. */
  readonly colorOf: (name: string) => Style;
}

/** An item as lines, below the one before it. */
export function itemLines(item: Item, before: Item | undefined, look: ItemLook): readonly Printed[] {
  const isClose = item.kind === "call" && before?.kind === "call" && !look.isUnfolded;
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
      return callLines(item.call, isUnfolded);
    case "mail":
      return [
        [
          { text: isSpoken ? "Message from " : "✉ ", style: "dim" },
          { text: item.from, style: colorOf(item.from) },
        ],
        ...markdown(isUnfolded ? item.text : shortened(item.text), "    "),
      ];
    case "plan":
      return [
        [{ text: item.from === undefined ? "The plan" : `The plan of ${item.from}`, style: "bold" }],
        ...markdown(item.text, "  "),
      ];
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
