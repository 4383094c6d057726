import { appendFileSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { mate, teamDraft, test } from "../../test/scratch.ts";
import { openFileStore } from "./file-store.ts";

const pastOf = async <T>(events: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const event of events) found.push(event);
  return found;
};
const numbersOf = (events: readonly { readonly event: object }[]) =>
  events.map(({ event }) => (event as { readonly n?: number }).n);

/** A team with one member, and where its events stand. */
async function crew(root: string) {
  const store = openFileStore({ root });
  const team = await store.createTeam(teamDraft);
  await team.join(mate("alice"));
  const directory = join(root, "troupe/teams", teamDraft.name, String(teamDraft.createdAt));
  const pieces = () =>
    readdirSync(directory)
      .map((name) => Number(/\d+/.exec(name)))
      .sort((a, b) => a - b);
  return { store, team, alice: await team.as("alice"), directory, pieces };
}

const long = "x".repeat(500_000);

test("a log that is full goes on in another file, of which eight are kept, and is read from every place in it", async ({
  root,
}) => {
  const { team, alice, directory, pieces } = await crew(root);
  for (let n = 0; n < 12; n += 1) await alice.record({ n, long });
  expect(pieces()).toEqual([1, 2, 3]);
  const all = await pastOf(team.history());
  expect(numbersOf(all)).toEqual(Array.from({ length: 12 }, (_, n) => n));
  for (const [at, { id }] of all.entries()) expect(await pastOf(team.history(id))).toEqual(all.slice(at + 1));
  for (let n = 12; n < 45; n += 1) await alice.record({ n, long });
  expect(pieces()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  for (const n of pieces()) expect(statSync(join(directory, `events-${n}.ndjson`)).size).toBeLessThan(2_700_000);
  const kept = numbersOf(await pastOf(team.history()));
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, n) => 45 - kept.length + n));
  await expect(team.history(all[0]?.id).next()).rejects.toMatchObject({ code: "arguments_invalid" });
});

test("what a slow writer appends to a full file behind which another has begun is given once, to those that read on too", async ({
  root,
}) => {
  const { team, alice, directory } = await crew(root);
  for (let n = 0; n < 5; n += 1) await alice.record({ n, long });
  const over = new AbortController();
  const events = team.history(undefined, over.signal);
  for (let n = 0; n < 5; n += 1) expect((await events.next()).value?.event).toMatchObject({ n });
  await alice.record({ n: 5 });
  expect((await events.next()).value?.event).toEqual({ n: 5 });
  const late = { at: new Date().toISOString(), by: "alice", event: { n: 6 } };
  appendFileSync(join(directory, "events-1.ndjson"), `${JSON.stringify(late)}\n`);
  const given = (await events.next()).value;
  expect(given).toMatchObject(late);
  await alice.record({ n: 7 });
  expect((await events.next()).value?.event).toEqual({ n: 7 });
  expect(numbersOf(await pastOf(team.history(given?.id)))).toEqual([7]);
  over.abort();
  expect((await events.next()).done).toBe(true);
});

test("a line that is no event, or has no time, is left out of the history, and those around it are given", async ({
  root,
}) => {
  const { team, alice, directory } = await crew(root);
  await alice.record({ n: 1 });
  const event = { at: new Date().toISOString(), by: "alice", event: { n: 2 } };
  const foreign = [
    { ...event, at: "soon" },
    { ...event, at: 1 },
    { ...event, by: 1 },
    { ...event, event: 1 },
    null,
    event,
  ];
  appendFileSync(join(directory, "events-1.ndjson"), foreign.map((one) => `${JSON.stringify(one)}\n`).join(""));
  expect(numbersOf(await pastOf(team.history()))).toEqual([1, 2]);
});

test("who sends and who changes a task stands in the history, with the key and the recipient of the message", async ({
  root,
}) => {
  const { team, alice } = await crew(root);
  const lead = await team.as("team-lead");
  const { key } = await lead.send("alice", { text: "Begin." });
  const { id } = await lead.tasks.create({ subject: "s", description: "" });
  await alice.tasks.claim(id, "alice");
  await alice.tasks.release(id, "alice");
  await alice.tasks.claimNext("alice");
  await alice.tasks.complete(id);
  await lead.tasks.update(id, { subject: "t" });
  await lead.tasks.remove(id);
  const task = (status: string, owner?: string) => ({ kind: "task", id, status, ...(owner && { owner }) });
  expect((await pastOf(team.history())).map(({ by, event }) => [by, event])).toEqual([
    ["team-lead", { kind: "message", to: "alice", key }],
    ["team-lead", task("pending")],
    ["alice", task("in_progress", "alice")],
    ["alice", task("pending")],
    ["alice", task("in_progress", "alice")],
    ["alice", task("completed", "alice")],
    ["team-lead", task("completed", "alice")],
    ["team-lead", task("deleted")],
  ]);
});

test("a message and a change of a task are no failure where nothing can be recorded", async ({ root }) => {
  const { team, alice } = await crew(root);
  writeFileSync(join(root, "troupe"), "");
  await alice.send("team-lead", { text: "Hello." });
  const { id } = await alice.tasks.create({ subject: "s", description: "" });
  expect((await team.tasks.get(id)).value).toMatchObject({ subject: "s" });
  await expect(alice.record({ n: 1 })).rejects.toMatchObject({ code: "document_unwritable" });
});

test("the events of a team that has ended are kept for a week, those of a later one of its name beside them", async ({
  root,
}) => {
  let at = 1_000_000;
  const day = 24 * 60 * 60 * 1_000;
  const store = openFileStore({ root, now: () => new Date(at) });
  const begin = async (createdAt: number, n: number) => {
    const team = await store.createTeam({ ...teamDraft, createdAt });
    const lead = await team.as("team-lead");
    await lead.record({ n });
    return lead;
  };
  const past = async () => numbersOf(await pastOf(store.past(teamDraft.name)));
  expect(await past()).toEqual([]);
  const first = await begin(1, 1);
  expect(await past()).toEqual([]);
  await store.deleteTeam(teamDraft.name);
  expect(await past()).toEqual([1]);
  await first.record({ n: 2 });
  expect(await past(), "what a member records after the end").toEqual([1, 2]);
  await begin(2, 3);
  expect(await past()).toEqual([1, 2]);
  at += 6 * day;
  await store.deleteTeam(teamDraft.name);
  expect(await past()).toEqual([3]);
  at += 2 * day;
  await store.createTeam({ ...teamDraft, name: "another", leadSessionId: "another" });
  expect(await past()).toEqual([3]);
  expect(readdirSync(join(root, "troupe/teams", teamDraft.name))).toHaveLength(1);
  at += 6 * day;
  await store.deleteTeam("another");
  expect(await past()).toEqual([]);
  expect(readdirSync(join(root, "troupe/teams"))).toEqual([]);
});

test("two teams of one name that were made at the very same time have each a past of its own", async ({ root }) => {
  const store = openFileStore({ root });
  const past = async () => numbersOf(await pastOf(store.past(teamDraft.name)));
  for (const n of [1, 2, 3]) {
    const lead = await (await store.createTeam(teamDraft)).as("team-lead");
    await lead.record({ n });
    expect(await past()).toEqual(n === 1 ? [] : [n - 1]);
    await store.deleteTeam(teamDraft.name);
    expect(await past()).toEqual([n]);
  }
});

test("a team whose config another client is writing anew keeps its history while a further team is made", async ({
  root,
}) => {
  const { store, team, alice } = await crew(root);
  await alice.record({ n: 1 });
  const config = join(root, "teams", teamDraft.name, "config.json");
  renameSync(config, `${config}.new`);
  await store.createTeam({ ...teamDraft, name: "another", leadSessionId: "another" });
  renameSync(`${config}.new`, config);
  expect(numbersOf(await pastOf(team.history()))).toEqual([1]);
});

test.each([999_999_999, 9_999_999_999, 50])(
  "a file that names itself piece %d takes no event in and puts none out",
  async (n) => {
    const root = mkdtempSync(join(tmpdir(), "troupe-store-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const { team, alice, directory, pieces } = await crew(root);
    await alice.record({ n: 0 });
    writeFileSync(join(directory, `events-${n}.ndjson`), "x".repeat(3 << 20));
    for (let at = 1; at < 8; at += 1) await alice.record({ n: at, long });
    expect(numbersOf(await pastOf(team.history()))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(pieces()).toEqual([1, 2, n]);
  },
);
