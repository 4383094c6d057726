/** One place of a pattern: any number of items, or one item that fits. */
export type PatternPlace<Item> = "any" | ((item: Item) => boolean);

/**
 * Whether the items fit. Only the last "any" is ever tried again, so the time is bounded by the
 * product of both lengths for any pattern; the regular expression of a pattern with many
 * stars can take for ever.
 */
export function fits<Item>(places: readonly PatternPlace<Item>[], items: ArrayLike<Item>): boolean {
  let place = 0;
  let at = 0;
  let retry: { readonly place: number; at: number } | undefined;
  while (at < items.length) {
    const now = places[place];
    if (now === "any") {
      retry = { place, at };
      place += 1;
    } else if (now?.(items[at] as Item)) {
      place += 1;
      at += 1;
    } else if (retry) {
      retry.at += 1;
      at = retry.at;
      place = retry.place + 1;
    } else {
      return false;
    }
  }
  return places.slice(place).every((rest) => rest === "any");
}

/**
 * Texts that have these pieces in this order, the first at the start and the last at the end, with
 * anything in between.
 */
export function textPattern(pieces: readonly string[]): (text: string) => boolean {
  const places = pieces.flatMap((piece, index): readonly PatternPlace<string>[] => [
    ...(index > 0 ? (["any"] as const) : []),
    ...piece.split("").map((wanted) => (found: string) => found === wanted),
  ]);
  return (text) => fits(places, text);
}
