import { appendFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { codecFor, layoutOf, revisions } from "@troupe/protocol";
import { describe, expect } from "vitest";
import { mate, teamDraft, test } from "../../test/scratch.ts";
import type { Message, Store } from "../index.ts";
import { isUnavailable } from "../index.ts";
import { examine } from "./doctor.ts";
import { openFileStore } from "./file-store.ts";
import { openInbox } from "./inbox.ts";

const keysOf = (messages: readonly Message[]) => messages.map(({ key }) => key);

async function crew(store: Store, revision: (typeof revisions)[number]) {
  const team = await store.createTeam({ ...teamDraft, revision });
  await team.join(mate("alice"));
  return team;
}

describe.each(revisions)("%s", (revision) => {
  test("messages that are equal to the letter have keys of their own as long as one consumer has them", async ({
    root,
  }) => {
    const alice = await (await crew(openFileStore({ root }), revision)).as("alice");
    const path = layoutOf(root).team("t").inbox("alice");
    const foreign = openInbox({ path, codec: codecFor(revision) });
    const twin = { from: "bob", text: "twin", timestamp: "2026-02-13T10:45:20.631Z" };
    const lease = await alice.receive();
    for (const _ of [1, 2, 3]) await foreign.append(twin);
    const [first = "", second = "", third = ""] = keysOf(await lease.take());
    expect(new Set([first, second, third]).size).toBe(3);
    await lease.acknowledge(new Set([second]));
    expect(keysOf(await lease.take())).toEqual([first, third]);
    await foreign.append(twin);
    const [, , fourth = ""] = keysOf(await lease.take());
    expect([first, second, third]).not.toContain(fourth);
    await lease.acknowledge(new Set([first, second, fourth]));
    expect(keysOf(await lease.take())).toEqual([third]);
    await lease.release();
  });

  test("a lease is given without an inbox, and nobody makes one by it", async ({ root }) => {
    const alice = await (await crew(openFileStore({ root }), revision)).as("alice");
    const lease = await alice.receive();
    expect(await lease.take()).toEqual([]);
    await lease.release();
    expect(() => readFileSync(layoutOf(root).team("t").inbox("alice"))).toThrow("ENOENT");
  });
});

test("an event behind a line that a killed writer left unfinished is kept, and the line is nobody's event", async ({
  root,
}) => {
  const alice = await (await crew(openFileStore({ root }), "2026-02")).as("alice");
  await alice.record({ n: 1 });
  const path = join(root, "troupe/teams/t/1/events-1.ndjson");
  for (const torn of ['{"at":"2026-02-13T10:45:20.631Z","by":"alice","ev', "\n", "[]\n", '{"at":1}\n', "x"]) {
    appendFileSync(path, torn);
    await alice.record({ torn });
  }
  const events: unknown[] = [];
  for await (const { event } of (await openFileStore({ root }).openTeam("t"))?.history() ?? []) events.push(event);
  expect(events).toMatchObject([{ n: 1 }, {}, { torn: "\n" }, { torn: "[]\n" }, {}, { torn: "x" }]);
  expect(await examine({ root })).toEqual([]);
});

test("a mail that another consumes is unavailable for now, and a refusal is no such thing", async ({ root }) => {
  const limits = { deadlineMs: 20, staleMs: 10_000 };
  const team = await crew(openFileStore({ root, limits }), "2026-02");
  const alice = await team.as("alice");
  const lease = await alice.receive();
  const errorOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);
  const busy = await errorOf(alice.receive());
  expect(busy).toMatchObject({ code: "lock_unavailable" });
  expect(isUnavailable(busy)).toBe(true);
  for (const work of [alice.send("mallory", { text: "x" }), team.join(mate("alice")), team.as("mallory")])
    expect(isUnavailable(await errorOf(work))).toBe(false);
  await lease.release();
  await (await alice.receive()).release();
});

test("no link leads out of Troupe's own directory", async ({ root }) => {
  const team = await crew(openFileStore({ root }), "2026-02");
  mkdirSync(join(root, "outside"));
  symlinkSync(join(root, "outside"), join(root, "troupe"));
  await expect((await team.as("alice")).record({ n: 1 })).rejects.toMatchObject({ code: "path_escaping" });
  await expect(team.history().next()).rejects.toMatchObject({ code: "path_escaping" });
  await expect(team.tasks.create({ subject: "s", description: "" }, { once: "x" })).rejects.toMatchObject({
    code: "path_escaping",
  });
  await expect(team.join(mate("bob"), { once: "x" })).rejects.toMatchObject({ code: "path_escaping" });
  expect(readdirSync(join(root, "outside"))).toEqual([]);
});

test("a store whose members have more leases than Node expects of listeners warns nobody", async ({ root }) => {
  const warnings: string[] = [];
  const note = ({ message }: Error) => warnings.push(message);
  process.on("warning", note);
  const store = openFileStore({ root });
  try {
    const team = await store.createTeam(teamDraft);
    for (let n = 0; n < 12; n += 1) {
      await team.join(mate(`mate-${n}`));
      await (await team.as(`mate-${n}`)).receive();
    }
    // A warning is told behind all that is due now.
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    await store.close();
    process.off("warning", note);
  }
  expect(warnings).toEqual([]);
});
