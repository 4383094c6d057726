import { renameSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { CheckContext } from "../check.ts";
import { identityOf } from "../checks/teams.ts";
import { checkFailure } from "../fault.ts";
import { readFile } from "../reader/document.ts";
import { namesIn } from "../reader/root.ts";

/** The paths of the documents of a check's team. */
export interface Places {
  readonly team: string;
  readonly directory: string;
  readonly config: string;
  readonly inboxes: string;
  readonly tasks: string;
  /** The file that stands for the whole list when it is locked. */
  readonly list: string;
  inbox(agent: string): string;
  task(id: string): string;
}

export function placesOf(context: CheckContext): Places {
  const { team } = identityOf(context);
  const [directory, tasks] = [join(context.root, "teams", team), join(context.root, "tasks", team)];
  const inboxes = join(directory, "inboxes");
  return {
    team,
    directory,
    config: join(directory, "config.json"),
    inboxes,
    tasks,
    list: join(tasks, ".lock"),
    inbox: (agent) => join(inboxes, `${agent}.json`),
    task: (id) => join(tasks, `${id}.json`),
  };
}

export type Fields = Readonly<Record<string, unknown>>;

/** The document in a file, which must be there and whole. */
export function demand(context: CheckContext, path: string): unknown {
  const found = readFile(path);
  const at = relative(context.root, path);
  if (!found) throw checkFailure(`${at} is not there`, { at, expected: "a document" });
  if (found.faults.length > 0) throw checkFailure(`${at} is ${found.faults.join(" and ")}`, { at, actual: found.text });
  return found.value;
}

export const taskAt = (context: CheckContext, path: string): Fields => demand(context, path) as Fields;

/** The entries of an inbox; none where there is no file. */
export function entriesAt(context: CheckContext, path: string): readonly Fields[] {
  if (!readFile(path)) return [];
  const found = demand(context, path);
  if (Array.isArray(found)) return found as Fields[];
  const at = relative(context.root, path);
  throw checkFailure(`${at} is no array`, { at, expected: "an array", actual: found });
}

export const textsIn = (entries: readonly Fields[]): readonly string[] => entries.map(({ text }) => String(text));

export const membersAt = (context: CheckContext, path: string): readonly Fields[] =>
  (demand(context, path) as { members: readonly Fields[] }).members;

/** The ids of a task directory, in the order of the numbers. */
export const taskIdsIn = (directory: string): readonly string[] =>
  namesIn(directory)
    .flatMap((name) => /^([0-9]+)\.json$/.exec(name)?.[1] ?? [])
    .sort((a, b) => Number(a) - Number(b));

/**
 * Writes a document as another conforming program would: whole, beside it, then renamed over it.
 */
export function replace(path: string, document: unknown): void {
  const temporary = `${path}.tmp.5e1f0a7c`;
  writeFileSync(temporary, JSON.stringify(document, undefined, 2), { flag: "wx" });
  renameSync(temporary, path);
}

/** An entry with what every reader demands. */
export const foreignEntry = (text: string): Fields => ({
  from: "team-lead",
  text,
  timestamp: "2026-02-08T07:18:27.409Z",
  read: false,
});
