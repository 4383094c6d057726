/**
 * Text of a target made harmless for every reader: what steers a terminal, breaks an XML parser, or
 * hides or reorders the text around it is shown as JSON would escape it. Line breaks and tabs stay.
 */
export const plain = (text: string): string =>
  text
    .replace(/\r\n/g, "\n")
    .replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu, (char) => {
      const code = (char.codePointAt(0) ?? 0).toString(16);
      return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
    });

/** The same on one line. */
export const plainLine = (text: string): string => plain(text).replace(/\s+/g, " ").trim();

/** A value for people: text as it is, anything else as indented JSON. */
export const shown = (value: unknown): string =>
  typeof value === "string" ? plain(value) : plain(JSON.stringify(value, null, 2) ?? "nothing");

/**
 * The same on one line, cut to a length; text keeps its quotes, so that an empty one can be seen.
 */
export function shownShort(value: unknown, length: number): string {
  const text = plain(JSON.stringify(value, null, 1) ?? "nothing").replace(
    /([[{])\n *|\n *([\]}])|\n */g,
    (_, open, close) => open ?? close ?? " ",
  );
  return text.length > length ? `${[...text].slice(0, length).join("")}…` : text;
}
