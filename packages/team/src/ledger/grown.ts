/**
 * A set that only grows. Versions share what they hold, so that adding to the newest copies
 * nothing.
 */
export interface Grown {
  readonly size: number;
  has(key: string): boolean;
  with(key: string): Grown;
}

export const nothing: Grown = grown(new Map(), 0);

function grown(places: Map<string, number>, size: number): Grown {
  const has = (key: string) => (places.get(key) ?? size) < size;
  return {
    size,
    has,
    with(key) {
      if (has(key)) return grown(places, size);
      // Another version has grown from here: it keeps its own.
      const own = size > 0 && places.size === size ? places : new Map([...places].slice(0, size));
      return grown(own.set(key, size), size + 1);
    },
  };
}
