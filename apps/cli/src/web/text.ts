import type { Span } from "../paint.ts";

/** What spans say, without their styles. */
export const textOf = (spans: readonly Span[]): string =>
  spans.map((span) => (typeof span === "string" ? span : span.text)).join("");
