import { escaped } from "../xml.ts";

/** A symbol cannot come out of JSON, so nothing that a target says can pass for markup. */
const source = Symbol("markup");

/** HTML or SVG that is safe to put into a page. */
export interface Markup {
  readonly [source]: string;
}

export type Piece = Markup | string | number | undefined | false | readonly Piece[];

/** Escapes inserted text, except the results of this function itself. */
export const markup = (strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup => ({
  [source]: strings.reduce((before, text, index) => before + rendered(pieces[index - 1]) + text),
});

/** Only for text that is written in this package. */
export const trusted = (text: string): Markup => ({ [source]: text });

export const textOf = (made: Markup): string => made[source];

function rendered(piece: Piece): string {
  if (piece === undefined || piece === false) return "";
  if (typeof piece === "string") return escaped(piece);
  if (typeof piece === "number") return String(piece);
  return source in piece ? piece[source] : piece.map(rendered).join("");
}
