/**
 * Prints JSON; characters that a terminal obeys or hides are written as escapes of the same value.
 */
export const jsonText = (document: unknown, space?: number): string =>
  JSON.stringify(document, null, space).replace(
    /[\x7f-\x9f\u2028\u2029\ufff9-\ufffb\u2800]|\p{Default_Ignorable_Code_Point}|\p{Bidi_Control}/gu,
    (sign) => Array.from({ length: sign.length }, (_, at) => escaped(sign.charCodeAt(at))).join(""),
  );

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;
