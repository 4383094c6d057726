import { readBody } from "../messages/body.ts";
import { type Problem, pointer } from "../problems.ts";
import { Task } from "../task.ts";
import { inspectTeam, TeamConfig } from "../team.ts";
import type { Codec } from "./codec.ts";
import { documentSchemas } from "./published.ts";
import { readDocument, readEntries } from "./read.ts";
import type { Revision } from "./revision.ts";

type Readers = Pick<Codec, "readTeam" | "readInbox" | "readTask" | "readBody">;

/** The reading half of a codec. */
export function readersOf(revision: Revision): Readers {
  const { team, entry, task } = documentSchemas[revision];
  return {
    readTeam: (input, directoryName) =>
      readDocument(input, team, TeamConfig, (value) => inspectTeam(value, directoryName)),
    readInbox: (input) => readEntries(input, entry),
    readTask: (input, fileStem) => readDocument(input, task, Task, ({ id }) => inspectId(id, fileStem)),
    readBody: (text) => readBody(text, revision),
  };
}

function inspectId(id: string, fileStem: string | undefined): Problem[] {
  if (fileStem === undefined || id === fileStem) return [];
  const path = pointer(["id"]);
  return [
    {
      path,
      code: "id_mismatched",
      message: `/id is "${id}", but the file is ${fileStem}.json`,
      fix: `make /id "${fileStem}"`,
    },
  ];
}
