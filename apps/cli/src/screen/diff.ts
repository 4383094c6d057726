import type { Printed, Span, Style } from "../paint.ts";

/** The colour of a line of a diff. */
export function diffStyle(line: string): Style | undefined {
  if (line.startsWith("@@")) return "cyan";
  if (line.startsWith("+") && !line.startsWith("+++")) return "green";
  return line.startsWith("-") && !line.startsWith("---") ? "red" : undefined;
}

/** A line that stays, goes or comes. */
export interface Change {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** More lines than this are not compared with each other: all of them go, and all others come. */
const mostLines = 600;

/** The lines that change between two texts, with a few around them that stay. */
export function changesBetween(before: string, after: string): readonly Change[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const start = commonLength(old, fresh);
  const end = commonLength(old.slice(start).reverse(), fresh.slice(start).reverse());
  const [gone, come] = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)];
  const around = 2;
  const stays = (lines: readonly string[]) => lines.map((text) => ({ sign: " ", text }) as const);
  return [
    ...stays(old.slice(Math.max(0, start - around), start)),
    ...(gone.length * come.length > mostLines * mostLines ? replaced(gone, come) : compared(gone, come)),
    ...stays(old.slice(old.length - end, old.length - end + around)),
  ];
}

const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

function commonLength(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((line, index) => line !== other[index]);
  return at < 0 ? one.length : at;
}

const replaced = (gone: readonly string[], come: readonly string[]): readonly Change[] => [
  ...gone.map((text) => ({ sign: "-", text }) as const),
  ...come.map((text) => ({ sign: "+", text }) as const),
];

/** By the longest common subsequence of lines. */
function compared(gone: readonly string[], come: readonly string[]): readonly Change[] {
  const lengths = Array.from({ length: gone.length + 1 }, () => new Uint16Array(come.length + 1));
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = gone.length - 1; i >= 0; i -= 1)
    for (let j = come.length - 1; j >= 0; j -= 1) {
      const row = lengths[i];
      if (row) row[j] = gone[i] === come[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  while (i < gone.length || j < come.length) {
    const [old, fresh] = [gone[i], come[j]];
    if (old !== undefined && old === fresh) {
      changes.push({ sign: " ", text: old });
      [i, j] = [i + 1, j + 1];
    } else if (old !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) {
      changes.push({ sign: "-", text: old });
      i += 1;
    } else {
      changes.push({ sign: "+", text: fresh ?? "" });
      j += 1;
    }
  }
  return changes;
}

/** The changes as lines; where one line took the place of another, what differs stands out. */
export function diffLines(before: string, after: string, indent: string): readonly Printed[] {
  const changes = changesBetween(before, after);
  return changes.map((change, at) => {
    const partner = partnerOf(changes, at);
    const spans = partner === undefined ? [span(change, change.text)] : emphasised(change, partner);
    const sign = change.sign === " " ? `${change.sign} ` : span(change, `${change.sign} `);
    return { hang: indent.length + 2, spans: [indent, sign, ...spans] };
  });
}

const span = ({ sign }: Change, text: string): Span => {
  const shown = text.replaceAll("\t", "  ");
  return sign === " " ? { text: shown, style: "dim" } : { text: shown, style: sign === "+" ? "green" : "red" };
};

/** The line that goes where this one comes, or the other way round, if it is a pair. */
function partnerOf(changes: readonly Change[], at: number): string | undefined {
  const [one, before, after] = [changes[at], changes[at - 1], changes[at + 1]];
  if (one?.sign === "-" && after?.sign === "+" && before?.sign !== "-" && changes[at + 2]?.sign !== "+")
    return after.text;
  if (one?.sign === "+" && before?.sign === "-" && after?.sign !== "+" && changes[at - 2]?.sign !== "-")
    return before.text;
  return undefined;
}

function emphasised(change: Change, partner: string): readonly Span[] {
  const [own, other] = [[...change.text], [...partner]];
  const start = commonLength(own, other);
  const most = Math.min(own.length, other.length) - start;
  const end = own.length - Math.min(most, commonLength(own.toReversed(), other.toReversed()));
  const style: Style = change.sign === "+" ? "added" : "removed";
  const part = (from: number, to?: number) => own.slice(from, to).join("");
  const middle = { text: part(start, end).replaceAll("\t", "  "), style };
  const spans = [span(change, part(0, start)), middle, span(change, part(end))];
  return spans.filter((one) => typeof one === "string" || one.text !== "");
}
