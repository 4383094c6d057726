/** Control characters, direction marks and lone surrogates. */
const steering = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Invisible characters, which can hide in a name or carry text that only a model reads. */
const hidden = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]/gu;

/** Scripts that write words with joiners. */
const joining = ["Arab", "Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh", "Mong"]
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join("");
const letter = `[[\\p{L}\\p{M}]&&[${joining}]]`;

/**
 * Joiners and selectors that are legitimate: in or after an emoji, and between letters of such a
 * script.
 */
const needed = once(
  () =>
    new RegExp(
      [
        "(?<=\\p{Extended_Pictographic}[\\ufe0f\\p{Emoji_Modifier}]?)\\u200d(?=\\p{Extended_Pictographic})",
        "(?<=[\\p{Extended_Pictographic}0-9#*])[\\ufe0e\\ufe0f]",
        `(?<=${letter})[\\u200c\\u200d](?=${letter})`,
      ].join("|"),
      "vy",
    ),
);

/** More combining marks on one letter than any language uses. */
const flood = /([\p{Mn}\p{Me}]{4})([\p{Mn}\p{Me}]+)/gu;

/** Made at its first use: the tables that such a thing stands on take longer than most commands. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const narrow =
  " -~\\u00a1-\\u00ac\\u00ae-\\u02ff\\u0391-\\u03a1\\u03a3-\\u03ff\\u0400-\\u0482\\u048a-\\u04ff\\u2010-\\u2027\\u2030-\\u205e\\u2500-\\u257f";
const plain = new RegExp(`^[${narrow}]*$`);
const apart = new RegExp(
  `^[${narrow}\\u3001-\\u3029\\u3041-\\u3096\\u30a1-\\u30fa\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff60]*$`,
);

/**
 * True for a text of Latin, Greek and Cyrillic letters, dashes, quotes and the lines of a tree: a
 * column for each, and nothing to hide.
 */
export const isPlain = (text: string): boolean => plain.test(text);

/** The same with wide signs of East Asia: nothing of it joins with what stands beside it. */
export const isApart = (text: string): boolean => apart.test(text);

/**
 * Makes untrusted text safe to show: it cannot control the terminal, break a line, or hide
 * characters.
 */
export function printable(text: string): string {
  if (isPlain(text)) return text;
  return text
    .replace(steering, "\uFFFD")
    .replace(hidden, (sign, at: number) => {
      const pattern = needed();
      pattern.lastIndex = at;
      return pattern.test(text) ? sign : `‹${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}›`;
    })
    .replace(flood, (_, kept: string, more: string) => `${kept}‹${[...more].length} marks more›`);
}

/** As `printable`, with the columns that it takes. */
export function measured(text: string): { readonly text: string; readonly width: number } {
  if (isPlain(text)) return { text, width: text.length };
  const shown = printable(text);
  return { text: shown, width: widthOf(shown) };
}

/** Leaves out what only colours, in the output of a command that was told of no terminal. */
export const uncoloured = (text: string): string => text.replaceAll(/\x1b\[[\d;:]*m/g, "");

const segmenter = once(() => new Intl.Segmenter(undefined, { granularity: "grapheme" }));

/** Splits a text into the characters that a reader sees. */
export const charactersOf = (text: string): readonly string[] =>
  isApart(text) ? [...text] : Array.from(segmenter().segment(text), ({ segment }) => segment);

const emoji = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f/u;
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
const without = /[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u1160-\u11ff]/u;

/** Counts terminal columns: an emoji or a wide character takes two, marks and joiners none. */
export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  const widthOfSign = (sign: string) => (wide.test(sign) ? 2 : without.test(sign) ? 0 : 1);
  return charactersOf(text).reduce(
    (columns, one) => columns + (emoji.test(one) ? 2 : [...one].reduce((sum, sign) => sum + widthOfSign(sign), 0)),
    0,
  );
}
