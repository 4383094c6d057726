import { setTimeout as sleep } from "node:timers/promises";

const never = new Int32Array(new SharedArrayBuffer(4));

/** Stops this thread for a fraction of a millisecond, which no timer can do. */
export const nap = (ms: number): void => void Atomics.wait(never, 0, 0, ms);

/** Waits without stopping the thread, a millisecond at the least. */
export const pause = (ms: number): Promise<void> => sleep(Math.max(1, ms));
