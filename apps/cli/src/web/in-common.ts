/**
 * Work that many ask for at once is done once for all who ask before it begins: what has begun may
 * not have seen what they ask about.
 */
export function inCommon<T>(work: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= last.then(() => {
      next = undefined;
      return work();
    });
    last = next.catch(() => {});
    return next;
  };
}
