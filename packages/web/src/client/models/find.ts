/** Whether all words that are searched for stand in these texts, in any case of letters. */
export function isFound(q: string, ...texts: readonly (string | null | undefined)[]): boolean {
  if (q === "") return true;
  const text = texts.join(" ").toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
