import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { mailOf, mate, teamDraft, test } from "../../test/scratch.ts";
import { openFileStore } from "./file-store.ts";

/** Every file below the root, as its path. */
const filesBelow = (root: string, below = ""): string[] =>
  readdirSync(join(root, below)).flatMap((name) => {
    const path = below === "" ? name : `${below}/${name}`;
    return statSync(join(root, path)).isDirectory() ? filesBelow(root, path) : [path];
  });

test("every operation writes the files that the protocol names for it, and no other stays", async ({ root }) => {
  const store = openFileStore({ root });
  const left = () => filesBelow(root).sort();
  const { name } = teamDraft;
  const made = [`tasks/${name}/.lock`, `teams/${name}/config.json`];
  const team = await store.createTeam({ ...teamDraft, revision: "2026-02" });
  expect(left()).toEqual(made);
  await team.tasks.create({ subject: "one", description: "" });
  expect(left()).toEqual([`tasks/${name}/.lock`, `tasks/${name}/1.json`, `teams/${name}/config.json`]);
  await team.join(mate("alice"));
  expect((await team.config()).value?.members.map((member) => member.name)).toEqual(["team-lead", "alice"]);
  const before = left();
  const lead = await team.as("team-lead");
  await lead.send("alice", { text: "Begin." });
  const log = `troupe/teams/${name}/${teamDraft.createdAt}/events-1.ndjson`;
  expect(left().filter((path) => !before.includes(path))).toEqual([`teams/${name}/inboxes/alice.json`, log]);
  const lease = await (await team.as("alice")).receive();
  const [waiting] = await lease.take();
  expect(waiting?.entry).toMatchObject({ text: "Begin.", read: false });
  await lease.acknowledge(new Set([waiting?.key ?? ""]));
  await lease.release();
  expect(await mailOf(team, "alice")).toMatchObject([{ entry: { text: "Begin.", read: true } }]);
  await store.deleteTeam(name, { evenIfActive: true });
  expect(left()).toEqual([
    expect.stringMatching(`^troupe/teams/${name}/ended-[0-9]+-${teamDraft.createdAt}/events-1.ndjson$`),
  ]);
  expect([...readdirSync(join(root, "teams")), ...readdirSync(join(root, "tasks"))]).toEqual([]);
});
