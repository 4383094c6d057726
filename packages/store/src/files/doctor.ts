import { codecFor, inboxOwnerOf, isRevision, isTeamName, type LeadProcess, layoutOf, taskIdOf } from "@troupe/protocol";
import { assertGiven, assertLimits, defaultLimits, type LockLimits, removedTeamOf } from "@troupe/protocol/rules";
import { isPresent, lookAt, namesIn, rootOf } from "./directory.ts";
import { ageOf, type Case, examineDocument, type Finding, leftoversIn } from "./doctor/cases.ts";
import { examineTasks } from "./doctor/references.ts";
import { readBytes } from "./document.ts";
import { finishRemovals, openFileStore } from "./file-store.ts";
import { mendInbox } from "./inbox.ts";
import { withLock } from "./lock.ts";
import { isRunningHere } from "./process.ts";
import { removeDirectory } from "./publication.ts";

export interface DoctorDeps {
  /** The directory that holds `teams/` and `tasks/`; what else lies below it is not looked at. */
  readonly root: string;
  readonly limits?: LockLimits;
  /** Undefined where it cannot be told from here. */
  readonly isRunning?: (process: LeadProcess) => boolean | undefined;
}

/** A finding and the result of its fix; `reason` says why a fix failed. */
export type Mending = Finding & { readonly isMended: boolean; readonly reason?: string };

/** The findings about the teams and task lists below the root. Only reads, and takes no lock. */
export const examine = (deps: DoctorDeps): Promise<Finding[]> => visit(deps, async (finding) => finding);

/** Fixes the findings that can be fixed safely while others work, and leaves the rest as it is. */
export const mend = (deps: DoctorDeps): Promise<Mending[]> =>
  visit(deps, async (finding, cure) => {
    try {
      await cure?.();
      return { ...finding, isMended: finding.isMendable };
    } catch (error) {
      return { ...finding, isMended: false, reason: (error as Error).message };
    }
  });

async function visit<T>(deps: DoctorDeps, treat: (finding: Finding, cure: Case["cure"]) => Promise<T>): Promise<T[]> {
  assertGiven("doctor", deps, { root: "path", limits: "object?", isRunning: "function?" });
  if (deps.limits) assertLimits(deps.limits);
  const treated: T[] = [];
  const root = rootOf(deps.root);
  for await (const { kind, path, message, fix, cure } of examineRoot({ ...deps, root })) {
    const below = path.slice(root.length + 1);
    treated.push(
      await treat(
        { kind, path: below, message, fix, isMendable: cure !== undefined, isNote: kind === "member_gone" },
        cure,
      ),
    );
  }
  return treated;
}

async function* examineRoot({ root, limits = defaultLimits, ...deps }: DoctorDeps): AsyncGenerator<Case> {
  const layout = layoutOf(root);
  const [teams, lists] = [yield* look(layout.teams), yield* look(layout.taskLists)];
  yield* leftoversIn(root, ["teams.lock", "teams.lock.break"], (base) => base === "teams", limits);
  for (const name of [...new Set([...teams, ...lists])].filter(isTeamName).sort()) {
    const { directory, tasks } = layout.team(name);
    try {
      const own = teams.includes(name) ? yield* look(directory) : [];
      const listed = lists.includes(name) ? yield* look(tasks) : [];
      yield* examineTeam({ ...deps, root, limits }, name, own, listed);
    } catch (error) {
      yield unusable(directory, error as Error);
    }
  }
  for (const name of teams) {
    const team = removedTeamOf(name);
    const path = `${layout.teams}/${name}`;
    if (team === undefined || ageOf(path, "ctimeMs") <= limits.staleMs || !lookAt(path)?.isDirectory()) continue;
    const finish = () => {
      if (!isPresent(layout.team(team).config)) finishRemovals(layout, team, crypto.randomUUID());
      removeDirectory(path);
    };
    const cure = () => withLock(layout.teams, finish, limits);
    yield { kind: "removal_unfinished", path, message: "is left of a removed team", fix: "remove it", cure };
  }
}

async function* examineTeam(
  { root, limits, isRunning = isRunningHere }: DoctorDeps & { readonly limits: LockLimits },
  name: string,
  own: readonly string[],
  tasks: readonly string[],
): AsyncGenerator<Case> {
  const layout = layoutOf(root).team(name);
  const inboxes = own.includes("inboxes") ? yield* look(layout.inboxes) : [];
  const isInbox = (base: string) => inboxOwnerOf(base.replace(/\.consumer$/, "")) !== undefined;
  yield* leftoversIn(layout.directory, own, (base) => base === "config.json", limits);
  yield* leftoversIn(layout.inboxes, inboxes, isInbox, limits);
  yield* leftoversIn(layout.tasks, tasks, (base) => base === ".lock" || taskIdOf(base) !== undefined, limits);
  const opened = openFileStore({ root }).openTeam(name);
  const form = await opened.then((team) => team?.form ?? "2026-11").catch(() => undefined);
  const codec = codecFor(form ?? "2026-02");
  const readTeam = () => (form ? codec.readTeam(readBytes(layout.config) ?? "", name).value : undefined);
  const asWritable = (found: Case): Case => (isRevision(form) ? found : { ...found, cure: undefined });
  if (own.includes("config.json")) yield* await examineDocument(layout.config, (bytes) => codec.readTeam(bytes, name));
  const lead = readTeam()?.leadProcess;
  if (lead && isRunning(lead) === false) {
    const message = `is led by process ${lead.pid}, which is gone`;
    yield { kind: "member_gone", path: layout.config, message, fix: "end the team if no session continues it" };
  }
  const paths = inboxes.flatMap((file) => inboxOwnerOf(file) ?? []).map(layout.inbox);
  const examined = paths.map((path) =>
    examineDocument(path, codec.readInbox, () => mendInbox({ path, codec, limits })),
  );
  for (const found of (await Promise.all(examined)).flat()) yield asWritable(found);
  if (tasks.length === 0) return;
  for await (const found of examineTasks({ layout, codec, limits, readTeam })) yield asWritable(found);
}

/** The names in a directory; what cannot be looked through hides nothing beside it. */
async function* look(path: string): AsyncGenerator<Case, readonly string[]> {
  try {
    return namesIn(path);
  } catch (error) {
    yield unusable(path, error as Error);
    return [];
  }
}

function unusable(path: string, { message }: Error): Case {
  return { kind: "directory_unusable", path, message, fix: "put a directory in its place that can be read" };
}
