import type { Printed, Span } from "../paint.ts";
import { diffStyle } from "./diff.ts";

/** Splits words that come in at the last empty line outside of a code block. */
export function splitFinished(text: string): { readonly finished: string; readonly rest: string } {
  let isCode = false;
  let [at, cut] = [0, 0];
  for (const line of text.split("\n").slice(0, -1)) {
    at += line.length + 1;
    if (fence.test(line)) isCode = !isCode;
    else if (!isCode && line.trim() === "") cut = at;
  }
  return { finished: text.slice(0, cut).trim(), rest: text.slice(cut) };
}

const fence = /^\s*(?:```|~~~)\s*([\w+-]*)/;

/** Markdown as lines for a terminal; all of it stays readable without colours. */
export function markdown(text: string, indent = ""): readonly Printed[] {
  const blocks: Printed[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const opened = fence.exec(line);
    if (opened) {
      const end = lines.findIndex((one, index) => index > at && fence.test(one));
      const code = lines.slice(at + 1, end < 0 ? lines.length : end);
      blocks.push(...code.map((one) => codeLine(one, opened[1] ?? "", indent)));
      at = end < 0 ? lines.length : end;
      continue;
    }
    if (isRow(line) && /^\s*\|?[\s:|-]+\|[\s:|-]*$/.test(lines[at + 1] ?? "")) {
      // The last row may still be coming in.
      const end = lines.findIndex(
        (one, index) => index > at && !(isRow(one) || (index === lines.length - 1 && /^\s*\|/.test(one))),
      );
      const rows = lines.slice(at, end < 0 ? lines.length : end).filter((_, index) => index !== 1);
      blocks.push({ rows: rows.map((row, index) => cellsOf(row, index === 0)) });
      at += rows.length;
      continue;
    }
    blocks.push(lineOf(line, indent));
  }
  return blocks;
}

const isRow = (line: string): boolean => /^\s*\|.*\|\s*$/.test(line);
const cellsOf = (line: string, isHead: boolean): readonly Span[] =>
  line
    .trim()
    .replaceAll(/^\||\|$/g, "")
    .split("|")
    .map((cell) => (isHead ? { text: cell.trim(), style: "bold" } : cell.trim().replaceAll(/\*\*|`/g, "")));

function codeLine(line: string, language: string, indent: string): Printed {
  const text = line.replaceAll("\t", "  ");
  const style = language === "diff" ? diffStyle(line) : "cyan";
  return { hang: indent.length + 4, spans: [`${indent}  `, style ? { text, style } : text] };
}

function lineOf(line: string, indent: string): Printed {
  const text = line.replaceAll("\t", "  ");
  const [, marks = "", title = ""] = /^(#{1,6})\s+(.*)$/.exec(text) ?? [];
  if (marks !== "")
    return { hang: indent.length, spans: [indent, { text: title.replaceAll("**", ""), style: "bold" }] };
  if (/^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/.test(text)) return [indent, { text: "───", style: "dim" }];
  const [, space = "", bullet = "", item = ""] = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/.exec(text) ?? [];
  if (bullet !== "") {
    const sign = /\d/.test(bullet) ? bullet : "•";
    return {
      hang: indent.length + space.length + sign.length + 1,
      spans: [`${indent}${space}${sign} `, ...inline(item)],
    };
  }
  const [, quoted] = /^>\s?(.*)$/.exec(text) ?? [];
  if (quoted !== undefined)
    return { hang: indent.length + 2, spans: [`${indent}`, { text: "│ ", style: "dim" }, ...inline(quoted)] };
  return { hang: indent.length, spans: [indent, ...inline(text)] };
}

const marked = /(`+)(.+?)\1|\*\*(.+?)\*\*|(?<![\w*])\*([^\s*][^*]*?)\*(?![\w*])|\[([^\]]+)\]\(([^)\s]+)\)/g;

function inline(text: string): readonly Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const found of text.matchAll(marked)) {
    const [whole, , code, strong, weak, label = "", address = ""] = found;
    spans.push(text.slice(from, found.index));
    if (code !== undefined) spans.push({ text: code, style: "cyan" });
    else if (strong !== undefined) spans.push({ text: strong.replaceAll("`", ""), style: "bold" });
    else if (weak !== undefined) spans.push({ text: weak, style: "italic" });
    else
      spans.push(...(label === address ? [] : [`${label} `]), {
        text: label === address ? label : `(${address})`,
        style: "blue",
      });
    from = found.index + whole.length;
  }
  return [...spans, text.slice(from)].filter((span) => span !== "");
}
