import type { Backend, Spawned } from "../backend.ts";
import type { Member } from "../member.ts";

export interface ProcessMemberDeps {
  readonly backend: Pick<Backend, "stop">;
  readonly spawned: Spawned;
  /** How long it may take to end by itself before it is killed. */
  readonly graceMs: number;
}

/**
 * A program of another make that is a member by itself: it reads its own inbox, tells its lead
 * itself, and is asked by mail in its own forms.
 */
export const processMember = ({ backend, spawned, graceMs }: ProcessMemberDeps): Member => ({
  kind: "process",
  hear: () => [],
  turnEnded: async () => undefined,
  ask: () => undefined,
  stop: () => backend.stop(spawned, graceMs),
});
