import { byId, codecFor, type Form, isInternal, openBlockersOf, type Problem, type Read } from "@troupe/protocol";
import type { Message } from "@troupe/protocol/rules";
import type { LocatedProblem, Onlook, RootView, TaskView, TeamView } from "@troupe/store";
import type { Database, Query } from "./database.ts";
import { messageIn } from "./mail.ts";
import { fileOf } from "./task-rows.ts";
import { liveTeam, type TeamRow } from "./team-row.ts";

/** A part as it was when it was read last, and the transaction that had written it. */
interface Known {
  readonly changed: string;
  readonly value: unknown;
}

interface PartRow {
  readonly key: string;
  readonly changed: string;
}

/** Looks at one moment of the database; only what has changed since the last look is read again. */
export function onlookAt({ transaction }: Database): Onlook {
  const known = new Map<string, ReadonlyMap<string, Known>>();
  const visited = new Set<string>();

  /** Reads the parts that are not known as they stand, with one statement. */
  async function partsOf<T>(
    place: string,
    rows: readonly PartRow[],
    read: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
  ): Promise<ReadonlyMap<string, T>> {
    visited.add(place);
    const before = known.get(place);
    const isKnown = ({ key, changed }: PartRow) => before?.get(key)?.changed === changed;
    const stale = rows.filter((row) => !isKnown(row));
    const fresh = stale.length > 0 ? await read(stale.map(({ key }) => key)) : new Map<string, T>();
    const values = rows.map(({ key }) => [key, (fresh.get(key) ?? before?.get(key)?.value) as T] as const);
    const after = new Map(values);
    known.set(place, new Map(rows.map(({ key, changed }) => [key, { changed, value: after.get(key) }])));
    return after;
  }

  async function mailOf(query: Query, { id, form }: TeamRow) {
    const codec = codecFor(form);
    const rows = await query<PartRow>(
      'select name as key, changed::text from inbox where team = $1 and next_seq > 1 order by name collate "C"',
      [id],
    );
    return partsOf(`inbox ${id}`, rows, async (names) => {
      const found = await query<{ name: string; seq: string; doc: string }>(
        `select name, seq, doc::text from message where team = $1 and name = any($2) and state = 'unread'
         union all select name, seq, doc::text from message where team = $1 and name = any($2) and state = 'read'
         order by name, seq`,
        [id, names],
      );
      const read = names.map((name) => {
        const messages = found.filter((row) => row.name === name).map((row) => messageIn(codec, row));
        const value: { messages: readonly Message[]; problems: readonly Problem[] } = {
          messages: messages.flatMap((message) => message.value ?? []),
          problems: messages.flatMap(({ problems }) => problems),
        };
        return [name, value] as const;
      });
      return new Map(read);
    });
  }

  async function tasksOf(
    query: Query,
    list: string,
    form: Form,
  ): Promise<Pick<TaskView, "tasks" | "unreadable" | "problems">> {
    const codec = codecFor(form);
    const rows = await query<PartRow & { changed_at: Date }>(
      "select id::text as key, changed::text, changed_at from task where list = $1 and not is_gone order by id",
      [list],
    );
    const parts = await partsOf(`task ${list}`, rows, async (ids) => {
      const some = "select id, doc::text from task where list = $1 and id = any($2::bigint[])";
      const found = await query<{ id: string; doc: string }>(some, [list, ids]);
      return new Map(found.map((row) => [row.id, fileOf(codec, row).read]));
    });
    const changedAt = new Map(rows.map(({ key, changed_at }) => [key, changed_at.getTime()]));
    const reads = [...parts].map(([id, read]) => ({ id, read }));
    const tasks = reads.flatMap(({ read }) => read.value ?? []);
    const unreadable = reads.filter(({ read }) => !read.value).map(({ id }) => id);
    const openBlockers = openBlockersOf(tasks, unreadable);
    const shown = tasks.filter((task) => task.status !== "deleted" && !isInternal(task)).sort(byId);
    return {
      tasks: shown.map((task) => ({
        task,
        changedAt: changedAt.get(task.id) ?? 0,
        openBlockers: openBlockers.get(task.id) ?? [],
      })),
      unreadable,
      problems: reads.flatMap(({ id, read }) => located(`task ${id}`, read)),
    };
  }

  async function viewOf(query: Query, team: TeamRow): Promise<TeamView> {
    const { name, form, config, list } = team;
    const found = codecFor(form).readTeam(config, name);
    const mail = [...(await mailOf(query, team))];
    const tasks = await tasksOf(query, list, form);
    return {
      ...tasks,
      team: name,
      form,
      config: found.value,
      mail: mail.map(([agent, { messages }]) => ({ agent, entries: messages.map(({ entry }) => entry), messages })),
      problems: [
        ...located("config", found),
        ...mail.flatMap(([agent, part]) => located(`inbox ${agent}`, part)),
        ...tasks.problems,
      ],
    };
  }

  async function listOf(query: Query, name: string): Promise<TaskView | undefined> {
    const one = `select id from task_list l where name = $1 and ended_at is null
      and not exists (select from team where list = l.id and ended_at is null)`;
    const [row] = await query<{ id: string }>(one, [name]);
    return row && { team: name, ...(await tasksOf(query, row.id, "2026-11")) };
  }

  async function all(query: Query): Promise<RootView> {
    visited.clear();
    const teams: TeamView[] = [];
    const lists: TaskView[] = [];
    for (const name of await namesIn(query, "team")) {
      const team = await liveTeam(query, name);
      if (team) teams.push(await viewOf(query, team));
    }
    for (const name of await namesIn(query, "task_list")) {
      const list = await listOf(query, name);
      if (list && list.tasks.length + list.problems.length > 0) lists.push(list);
    }
    for (const place of known.keys()) if (!visited.has(place)) known.delete(place);
    return { teams, lists, problems: [] };
  }

  // One moment of the whole database, and no wait for anybody.
  const seen = async <T>(work: (query: Query) => Promise<T>) => ({
    found: await transaction(({ query }) => work(query), "repeatable read"),
    isSettled: true,
  });

  return {
    team: (name) =>
      seen(async (query) => {
        const team = await liveTeam(query, name);
        return team && viewOf(query, team);
      }),
    list: (name) => seen((query) => listOf(query, name)),
    all: () => seen(all),
  };
}

/** Names that stand for something now, in the order of their characters. */
export async function namesIn(query: Query, table: "team" | "task_list"): Promise<string[]> {
  const names = `select name from ${table} where ended_at is null`;
  return (await query<{ name: string }>(names)).map(({ name }) => name).sort();
}

const located = (file: string, { problems }: Pick<Read<unknown>, "problems">): LocatedProblem[] =>
  problems.map((problem) => ({ ...problem, file }));
