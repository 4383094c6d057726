import { TroupeError } from "../errors.ts";
import type { Codec } from "./codec.ts";
import { readersOf } from "./readers.ts";
import type { Form } from "./revision.ts";

/** Client 2.1.147 to 2.1.177: neither one revision nor the other. Read, never written. */
export const codecBetween: Codec = {
  form: "between",
  unblocksOnDisk: false,
  removesTasksWithTeam: true,
  announcesOwnTasks: false,
  makesLockWithTeam: true,
  ...readersOf("2026-02"),
  newTeam: refuse,
  newTeammate: refuse,
  newEntry: refuse,
  newTask: refuse,
  amendTeam: refuse,
  addMember: refuse,
  amendMember: refuse,
  removeMember: refuse,
  amendTask: refuse,
  append: refuse,
  consume: refuse,
  write: refuse,
};

/** Throws `revision_read_only` for the form that nobody but its clients writes. */
export function assertWritable(form: Form): void {
  if (form === codecBetween.form) refuse();
}

function refuse(): never {
  throw new TroupeError(
    "revision_read_only",
    "this team is in a form between the revisions 2026-02 and 2026-11 and is only read: let the client that created it finish, or create a new team",
  );
}
