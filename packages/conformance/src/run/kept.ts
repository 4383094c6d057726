/** Lets a promise be awaited later: a rejection before that is not reported as unhandled. */
export function kept<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
