/** JSON that steers no terminal: what JSON leaves as it is but a terminal obeys is written as an escape of the same value. */
export const jsonText = (document: unknown, space?: number): string =>
  JSON.stringify(document, null, space).replace(
    /[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
