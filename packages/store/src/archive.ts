import type { Form } from "@troupe/protocol";
import { assertGiven, type Shape } from "@troupe/protocol/rules";
import type { RecordedEvent } from "./store.ts";

/**
 * All that a store shows, as the texts of its documents: what one engine gives, another takes, with
 * what nobody knows or can read.
 */
export interface Archive {
  readonly teams: readonly ArchivedTeam[];
  /** Of teams, under their names, and of sessions. */
  readonly lists: readonly ArchivedList[];
  readonly plans: readonly ArchivedText[];
}

/** A text, and what it is called. */
export interface ArchivedText {
  readonly name: string;
  readonly text: string;
}

export interface ArchivedTeam {
  readonly name: string;
  readonly form: Form;
  readonly config: string;
  readonly inboxes: readonly ArchivedText[];
  /** Oldest first. */
  readonly events: readonly Omit<RecordedEvent, "id">[];
}

export interface ArchivedList {
  readonly name: string;
  readonly tasks: readonly (ArchivedText & { /** Milliseconds since the epoch. */ readonly changedAt: number })[];
  /** The highest id that was ever given; 0 before the first. */
  readonly lastId: number;
}

const textShape: Shape = { name: "string", text: "string" };

/** Throws `arguments_invalid` for what is no archive, before anything is done with it. */
export function assertArchive(call: string, archive: Archive): void {
  assertGiven(call, archive, { teams: "array", lists: "array", plans: "array" });
  for (const team of archive.teams) {
    const shape: Shape = { name: "string", form: "string", config: "string", inboxes: "array", events: "array" };
    assertGiven(`a team of ${call}`, team, shape);
    for (const inbox of team.inboxes) assertGiven(`an inbox of ${call}`, inbox, textShape);
    for (const event of team.events)
      assertGiven(`an event of ${call}`, event, { at: "string", by: "string", event: "json" });
  }
  for (const list of archive.lists) {
    assertGiven(`a list of ${call}`, list, { name: "string", tasks: "array", lastId: "number" });
    for (const task of list.tasks) assertGiven(`a task of ${call}`, task, { ...textShape, changedAt: "number" });
  }
  for (const plan of archive.plans) assertGiven(`a plan of ${call}`, plan, textShape);
}
