import type { Check } from "../check.ts";
import { acknowledgedIsThere } from "./acknowledged.ts";
import { edgeChecks } from "./half-edges.ts";
import { killedDeletion } from "./killed-deletions.ts";
import { killedWriters } from "./killed-writers.ts";
import { lateReleaseChecks } from "./late-release.ts";
import { leftLockChecks } from "./left-locks.ts";
import { pausedHolderChecks } from "./paused-holder.ts";

/** Processes that are killed, stopped or replaced in the middle of their work. */
export const crashChecks: readonly Check[] = [
  ...leftLockChecks,
  ...killedWriters,
  acknowledgedIsThere,
  killedDeletion,
  ...edgeChecks,
  ...pausedHolderChecks,
  ...lateReleaseChecks,
];
