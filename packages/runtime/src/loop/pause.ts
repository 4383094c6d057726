import { setImmediate } from "node:timers/promises";
import { inTurn } from "@troupe/store";

/** One at a time in this process, so that no crowd of agents holds up what comes from outside. */
const turn = inTurn();

/**
 * Lets timers, sockets and those who paused before go first. A long piece of work is made of short
 * ones with this in between.
 */
export const pause = (): Promise<void> => turn(() => setImmediate());
