import { readBody } from "../messages/body.ts";
import { type Problem, pointer } from "../problems.ts";
import { Task } from "../task.ts";
import { inspectTeam, TeamConfig } from "../team.ts";
import type { Codec } from "./codec.ts";
import { documentSchemas } from "./published.ts";
import { type DocumentForm, readDocument, readEntries } from "./read.ts";
import type { Revision } from "./revision.ts";

type Readers = Pick<Codec, "readTeam" | "readInbox" | "readTask" | "readBody">;

export const teamForm = (revision: Revision, directoryName?: string): DocumentForm<TeamConfig> => ({
  published: documentSchemas[revision].team,
  view: TeamConfig,
  vital: new Set(["planModeRequired"]),
  inspect: (team) => inspectTeam(team, directoryName),
});

export const taskForm = (revision: Revision): DocumentForm<Task> => ({
  published: documentSchemas[revision].task,
  view: Task,
  vital: new Set(["owner", "blockedBy"]),
});

/** The reading half of a codec. */
export function readersOf(revision: Revision): Readers {
  const { entry } = documentSchemas[revision];
  return {
    readTeam: (input, directoryName) => readDocument(input, teamForm(revision, directoryName)),
    readInbox: (input) => readEntries(input, entry),
    readTask(input, fileStem) {
      const read = readDocument(input, taskForm(revision));
      if (read.value === undefined || read.value.id === fileStem) return read;
      return { ...read, value: undefined, problems: [...read.problems, foreignId(read.value.id, fileStem)] };
    },
    readBody: (text) => readBody(text, revision),
  };
}

/** Handed out under the id it claims, it would stand for another task. */
function foreignId(id: string, fileStem: string): Problem {
  const path = pointer(["id"]);
  const message = `/id is "${id}", but the file is ${fileStem}.json`;
  return { path, code: "id_mismatched", message, fix: `make /id "${fileStem}"` };
}
