import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { revisions } from "@troupe/protocol";
import { readOverviews, type Store, type Team } from "@troupe/store";
import { openFileStore, readArchive, writeArchive } from "@troupe/store/files";
import {
  checkPostgresStore,
  exportPostgresStore,
  importPostgresStore,
  migratePostgresStore,
  openPostgresStore,
} from "@troupe/store-postgres";
import { expect, onTestFinished, test } from "vitest";
import type { Place } from "./server.ts";
import { describeWithServer } from "./suite.ts";

const corpus = join(import.meta.dirname, "../../packages/protocol/corpus/client");
const sample = join(import.meta.dirname, "../../apps/cli/sample");

/** What real clients have left, each file as it was last. */
const scenes = readdirSync(corpus).flatMap((version) => {
  const below = join(corpus, version);
  return statSync(below).isDirectory() ? readdirSync(below).map((scene) => join(below, scene)) : [];
});

function freshRoot(): string {
  const root = mkdtempSync(join(tmpdir(), "archive-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  return root;
}

function put(root: string, path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** The documents below a root, by their paths; without locks and marks. */
function documentsIn(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  const isDocument = (name: string) =>
    /^(teams|tasks|plans)\/.*(\.json|\.md)$/.test(name) && statSync(join(root, name)).isFile();
  return Object.fromEntries(names.filter(isDocument).map((name) => [name, readFileSync(join(root, name), "utf8")]));
}

/** What a person sees of a store. */
async function seen(store: Store) {
  const { teams, lists } = await readOverviews(store);
  const events = [];
  for (const { team } of teams)
    for await (const { id: _, ...event } of (await store.openTeam(team))?.history() ?? []) events.push(event);
  const mail = teams.flatMap(({ mail: inboxes }) =>
    inboxes.map(({ agent, unread, messages }) => [agent, unread, messages.map(({ entry }) => entry)]),
  );
  const tasksOf = (views: typeof lists) =>
    views.map(({ team, tasks, unreadable }) => ({
      team,
      unreadable,
      tasks: tasks.map((one) => ({ ...one, changedAt: Math.floor(one.changedAt) })),
    }));
  return {
    teams: teams.map(({ team, form, description, createdAt, members }) => ({
      team,
      form,
      description,
      createdAt,
      members,
    })),
    tasks: tasksOf([...teams, ...lists]),
    mail,
    events,
  };
}

/** What a member has not taken yet. */
async function waitingOf(team: Team | undefined, name: string): Promise<unknown> {
  const lease = await (await team?.as(name))?.receive();
  const messages = await lease?.take();
  await lease?.release();
  return messages?.map(({ entry }) => entry);
}

await describeWithServer("an archive of teams", (server) => {
  async function tables(): Promise<Place> {
    const place = await server().newPlace();
    await migratePostgresStore(place);
    return place;
  }

  async function opened(place: Place): Promise<Store> {
    const store = await openPostgresStore(place);
    onTestFinished(() => store.close());
    return store;
  }

  const views = async (root: string, place: Place) => [
    await seen(openFileStore({ root })),
    await seen(await opened(place)),
  ];

  /** Goes over into a database and back into another directory. */
  async function thereAndBack(root: string, place: Place): Promise<string> {
    const { archive } = await readArchive(root);
    await importPostgresStore(place, archive);
    const back = freshRoot();
    writeArchive(back, await exportPostgresStore(place));
    return back;
  }

  test("[ATP-FS-107] what real clients wrote comes back byte for byte, and is seen in the database as in the files", async () => {
    expect(scenes.length).toBeGreaterThan(3);
    for (const scene of [...scenes, sample]) {
      const root = scene === sample ? sample : freshRoot();
      for (const name of scene === sample ? [] : readdirSync(scene).sort())
        if (/^\d+-/.test(name) && !name.includes(".tmp."))
          put(root, name.replace(/^\d+-/, "").replaceAll("__", "/"), readFileSync(join(scene, name)));
      const place = await tables();
      expect(documentsIn(await thereAndBack(root, place)), scene).toEqual(documentsIn(root));
      const [files, database] = await views(root, place);
      expect(database, scene).toEqual(files);
    }
  });

  test.each(revisions)(
    "teams that had any life are the same after the way there and back, and go on (%s)",
    async (revision) => {
      const root = freshRoot();
      const store = openFileStore({ root });
      let seed = 11;
      const next = (below: number) => {
        seed = (seed * 48_271) % 2_147_483_647;
        return seed % below;
      };
      for (const name of ["one", "two"]) {
        const draft = { name, createdAt: Date.now(), leadSessionId: `${name}-s`, leadModel: "m", cwd: "/p" };
        const team = await store.createTeam({ ...draft, revision, description: "a \0 b 😀" });
        const names = ["ann", "bob", "cleo"];
        for (const mate of names)
          await team.join({ name: mate, agentType: "a", model: "m", prompt: "go", joinedAt: 1, cwd: "/p" });
        for (let n = 0; n < 60; n += 1) {
          const self = await team.as(names[next(3)] ?? "");
          const id = String(1 + next(8));
          const change = [
            () => self.send(names[next(3)] ?? "", { text: `${n} \0 \ud800 你好`, summary: "s" }),
            () => self.tasks.create({ subject: `t${n}`, description: "", metadata: { n, deep: [1e21, { a: null }] } }),
            () => self.tasks.update(id, { addBlocks: [String(1 + next(8))] }),
            () => self.tasks.claim(id, self.name),
            () => self.tasks.complete(id),
            () => self.tasks.remove(id),
            () => self.record({ kind: "note", n, text: "\0" }),
            async () => {
              const lease = await self.receive();
              const [first] = await lease.take();
              await lease.acknowledge(new Set(first ? [first.key] : [])).finally(lease.release);
            },
          ][next(8)];
          await change?.().catch((error) =>
            expect(["task_unknown", "task_cyclic", "task_blocked"]).toContain(error.code),
          );
        }
      }
      await store.tasksOfSession("a-session").create({ subject: "alone", description: "" });
      await store.savePlan("calm-heron", "# Plan \0");
      const place = await tables();
      const back = await thereAndBack(root, place);
      expect(documentsIn(back)).toEqual(documentsIn(root));
      const [files, database] = await views(root, place);
      expect(database).toEqual(files);
      const [again] = await views(back, place);
      expect(again).toEqual(files);
      expect(await checkPostgresStore(place)).toMatchObject({ findings: [], isStandby: false });
      const there = await (await opened(place)).openTeam("one");
      const here = await openFileStore({ root: back }).openTeam("one");
      for (const name of ["ann", "bob", "cleo"])
        expect(await waitingOf(there, name), name).toEqual(await waitingOf(here, name));
      const draft = { subject: "later", description: "" };
      expect((await there?.tasks.create(draft))?.id).toBe((await here?.tasks.create(draft))?.id);
      expect((await there?.tasks.claimNext("ann"))?.id).toBe((await here?.tasks.claimNext("ann"))?.id);
    },
  );

  test("what nobody can read is kept to the letter, and what is no text is named and stays", async () => {
    const root = freshRoot();
    const config = readFileSync(join(sample, "teams/parser-team/config.json"), "utf8");
    put(root, "teams/odd/config.json", config.replace("{", '{ "zebra": 12345678901234567890, "zebra": 1e999,'));
    put(root, "teams/torn/config.json", config.slice(0, 100));
    put(root, "teams/odd/inboxes/ann.json", '[{"from":"bob","text":');
    put(root, "teams/odd/inboxes/bob.json", '[\n  7,\n  {\n    "from": "ann",\n    "x": 1.10\n  }\n]');
    put(root, "teams/odd/inboxes/empty.json", "[]");
    put(root, "tasks/odd/1.json", '{"id": "1",');
    put(root, "tasks/odd/2.json", '"only a text"');
    put(root, "tasks/odd/3.json", "");
    put(root, "plans/bytes.md", new Uint8Array([0xff, 0xfe]));
    const { left } = await readArchive(root);
    expect(left).toEqual([
      { path: join(root, "plans/bytes.md"), message: expect.stringContaining("no text in UTF-8") },
    ]);
    const place = await tables();
    const back = await thereAndBack(root, place);
    const { "plans/bytes.md": _, ...documents } = documentsIn(root);
    expect(documentsIn(back)).toEqual(documents);
    const { findings } = await checkPostgresStore(place);
    const places = new Set(findings.map(({ where }) => where));
    for (const where of [
      "torn, config",
      "odd, inbox ann",
      "odd, inbox bob",
      "odd, task 1",
      "odd, task 2",
      "odd, task 3",
    ])
      expect(places, where).toContain(where);
  });

  test("where a name is taken nothing is added, and nothing written", async () => {
    const place = await tables();
    const { archive } = await readArchive(sample);
    await importPostgresStore(place, archive);
    const root = freshRoot();
    const other = { name: "other", leadSessionId: "o", leadModel: "m", cwd: "/p", createdAt: 1 };
    await openFileStore({ root }).createTeam(other);
    const both = { ...archive, teams: [...(await readArchive(root)).archive.teams, ...archive.teams] };
    await expect(importPostgresStore(place, both)).rejects.toMatchObject({ code: "team_exists" });
    expect((await exportPostgresStore(place)).teams).toHaveLength(archive.teams.length);
    put(root, "tasks/parser-team/1.json", "{}");
    expect(() => writeArchive(root, archive)).toThrow(expect.objectContaining({ code: "team_exists" }));
    expect(existsSync(join(root, "teams/parser-team"))).toBe(false);
  });

  test("a check finds what tables say otherwise than their documents", async () => {
    const place = await tables();
    const { archive } = await readArchive(sample);
    const own = <T extends { readonly name: string }>(all: readonly T[]) =>
      all.filter(({ name }) => name === "parser-team");
    await importPostgresStore(place, { teams: own(archive.teams), lists: own(archive.lists), plans: [] });
    expect((await checkPostgresStore(place)).findings).toEqual([]);
    const faults = [
      ["update task set is_ready = not is_ready where id = 1 and list = 1", "parser-team, task 1"],
      ["delete from task_edge where list = 1 and task = 2", "parser-team, task 2"],
      ["update task_list set next_task = 2 where id = 1", "parser-team, tasks"],
      ["update inbox set next_seq = 9 where name = 'writer'", "parser-team, inbox writer"],
      ["update history set next_seq = 9 where team = 1", "parser-team, history"],
      ["update task set as_taken = '{a,b}' where id = 4", "parser-team, task 4"],
      ["delete from inbox where name = 'team-lead'", "parser-team, inbox team-lead"],
    ] as const;
    for (const [fault] of faults) await place.run(fault);
    const { findings, step, needed } = await checkPostgresStore(place);
    expect(findings.map(({ where }) => where).sort()).toEqual(faults.map(([, where]) => where).sort());
    expect(step).toBe(needed);
  });
});
