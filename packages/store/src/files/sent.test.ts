import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codecFor, type InboxEntry, revisions } from "@troupe/protocol";
import { describe, expect } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { mate, teamDraft, test } from "../../test/scratch.ts";
import { openFileStore } from "./file-store.ts";

/** A team with one teammate, and what stands in its inbox. */
async function crew(root: string, revision: (typeof revisions)[number]) {
  const team = await openFileStore({ root }).createTeam({ ...teamDraft, revision });
  await team.join(mate("alice"));
  const path = join(root, "teams/t/inboxes/alice.json");
  const stored = () => JSON.parse(readFileSync(path, "utf8")) as (InboxEntry & { text: string })[];
  return { team, path, stored, lead: await team.as("team-lead") };
}

describe.each(revisions)("%s", (revision) => {
  test("[ATP-INB-010] the first message of a lead has neither summary nor colour, whatever it says", async ({
    root,
  }) => {
    const { lead, stored } = await crew(root, revision);
    for (const text of ["Read the grammar first.", "two\nlines"]) await lead.send("alice", { text });
    for (const entry of stored()) expect(Object.keys(entry)).not.toEqual(expect.arrayContaining(["summary"]));
    for (const entry of stored()) expect(entry).not.toHaveProperty("color");
  });

  test("[INBOX-08] the text of an entry is what was written, or JSON of an object that says its type, and is read back as such", async ({
    root,
  }) => {
    const { lead, stored } = await crew(root, revision);
    const body = {
      type: "shutdown_request" as const,
      requestId: "shutdown-1@alice",
      from: "team-lead",
      reason: "enough",
      timestamp: "2026-02-13T10:13:29.576Z",
    };
    await lead.send("alice", { text: '{"almost":"json"' });
    await lead.send("alice", { body });
    const [plain, structured] = stored();
    expect(plain?.text).toBe('{"almost":"json"');
    expect(structured?.text).toBe(JSON.stringify(body));
    const { readBody } = codecFor(revision);
    expect(readBody(plain?.text ?? "")).toMatchObject({ kind: "text" });
    expect(readBody(structured?.text ?? "")).toMatchObject({ kind: "message", body });
  });

  test("[TASK-04] a task goes from pending to in_progress to completed and back; deleted is the end from any state", async ({
    root,
  }) => {
    const { tasks } = (await crew(root, revision)).team;
    const states = ["pending", "in_progress", "completed"] as const;
    const made = await tasks.create({ subject: "s", description: "" });
    expect(made.status).toBe("pending");
    for (const status of ["in_progress", "completed", "in_progress", "pending", "completed", "pending"] as const)
      expect((await tasks.update(made.id, { status })).status).toBe(status);
    for (const status of states) {
      const { id } = await tasks.create({ subject: status, description: "" });
      await tasks.update(id, { status });
      expect((await tasks.update(id, { status: "deleted" })).status).toBe("deleted");
      for (const again of states)
        await expect(tasks.update(id, { status: again })).rejects.toMatchObject({ code: "task_unknown" });
      expect((await tasks.get(id)).value).toBeUndefined();
    }
  });
});

test("[ATP-INB-104] in 2026-11 an entry that says it was read is handed to nobody, and what we write neither says so nor makes one say so", async ({
  root,
}) => {
  const { team, path, stored, lead } = await crew(root, "2026-11");
  const foreign = { from: "team-lead", timestamp: "2026-11-18T10:00:00.000Z", msgV: 1, type: "message" };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    JSON.stringify([
      { ...foreign, text: "old", read: true },
      { ...foreign, text: "new", read: false },
    ]),
  );
  await lead.send("alice", { text: "ours" });
  const inbox = await (await team.as("alice")).receive();
  const taken = await inbox.take();
  expect(taken.map(({ entry }) => entry.text)).toEqual(["new", "ours"]);
  expect(stored().map(({ text, read }) => [text, read])).toEqual([
    ["old", true],
    ["new", false],
    ["ours", false],
  ]);
  await inbox.acknowledge(new Set([taken[0]?.key ?? ""]));
  expect(stored().filter(({ text }) => text !== "old")).toMatchObject([{ text: "ours", read: false }]);
  await inbox.acknowledge(new Set([taken[1]?.key ?? ""]));
  expect(stored().filter(({ text }) => text !== "old")).toEqual([]);
  expect(await inbox.take()).toEqual([]);
});

test("[ATP-INB-109] in 2026-11 inboxes come with their first entry, which finds an empty list there; such a list and no file read alike", async ({
  root,
}) => {
  const team = await openFileStore({ root }).createTeam({ ...teamDraft, revision: "2026-11" });
  for (const name of ["alice", "bob", "carol"]) await team.join(mate(name));
  const inboxes = join(root, "teams/t/inboxes");
  const lead = await team.as("team-lead");
  expect(existsSync(inboxes)).toBe(false);
  await lead.send("bob", { text: "Begin." });
  expect(readdirSync(inboxes)).toEqual(["bob.json"]);

  // One that waits for the lock of an inbox has begun it.
  const path = join(inboxes, "alice.json");
  mkdirSync(`${path}.lock`);
  const sent = lead.send("alice", { text: "Begin." });
  await untilSeen("the empty inbox", () => existsSync(path));
  expect(readFileSync(path, "utf8")).toBe("[]");
  const ways = async (name: string) => {
    const lease = await (await team.as(name)).receive();
    const taken = await lease.take();
    const woken = await lease.wait(AbortSignal.abort());
    await lease.release();
    return [await team.mail(name).page(), taken, woken];
  };
  expect(await ways("alice")).toEqual([{ value: [], problems: [] }, [], []]);
  expect(await ways("carol")).toEqual(await ways("alice"));
  expect(existsSync(join(inboxes, "carol.json"))).toBe(false);

  rmdirSync(`${path}.lock`);
  await sent;
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject([{ from: "team-lead", text: "Begin." }]);
  expect(readdirSync(inboxes).filter((name) => name.includes(".tmp"))).toEqual([]);
});
