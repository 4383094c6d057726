/** The part of a long list that is made, and the room that the rest takes. */
export interface Window {
  readonly first: number;
  readonly last: number;
  readonly before: number;
  readonly after: number;
}

/** So many rows are made beyond the edges, so that none is missing while it is scrolled. */
const beyond = 6;

/** Rows have one height, so that where each stands is known without making it. */
export function windowOf(count: number, rowHeight: number, scrolled: number, height: number): Window {
  const first = Math.min(Math.max(0, Math.floor(scrolled / rowHeight) - beyond), Math.max(0, count - 1));
  const last = Math.min(count, Math.ceil((scrolled + height) / rowHeight) + beyond);
  return {
    first,
    last: Math.max(first, last),
    before: first * rowHeight,
    after: Math.max(0, count - last) * rowHeight,
  };
}
