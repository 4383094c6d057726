import { asleep, isUnavailable } from "@troupe/store";

const retryMs = 1_000;

/** Tries again while the database is away, until the signal fires; rejects as the last try did. */
export async function persistently<T>(work: () => Promise<T>, until: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error) || until.aborted) throw error;
      await asleep(retryMs, until);
    }
  }
}
