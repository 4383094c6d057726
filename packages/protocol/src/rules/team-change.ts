import { inboxOwnerOf, type TeamLayout, taskIdOf } from "../layout.ts";

/** A change of a team: its config, an inbox, or a task. */
export type TeamChange =
  | { readonly kind: "config" }
  | { readonly kind: "inbox"; readonly name: string }
  | { readonly kind: "task"; readonly id: string };

/**
 * The directories of a team, and what a file in each means; undefined for locks, temporary and
 * foreign files.
 */
export interface WatchedDirectory {
  readonly directory: string;
  readonly subjectOf: (fileName: string) => TeamChange | undefined;
}

/** The directories in which a team changes. */
export const watchedDirectories = ({ directory, config, inboxes, tasks }: TeamLayout): WatchedDirectory[] => [
  { directory, subjectOf: (name) => (`${directory}/${name}` === config ? { kind: "config" } : undefined) },
  { directory: inboxes, subjectOf: inboxSubject },
  { directory: tasks, subjectOf: taskSubject },
];

function inboxSubject(fileName: string): TeamChange | undefined {
  const name = inboxOwnerOf(fileName);
  return name === undefined ? undefined : { kind: "inbox", name };
}

function taskSubject(fileName: string): TeamChange | undefined {
  const id = taskIdOf(fileName);
  return id === undefined ? undefined : { kind: "task", id };
}
