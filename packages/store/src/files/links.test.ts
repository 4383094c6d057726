import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { codecFor } from "@troupe/protocol";
import { maxBytes } from "@troupe/protocol/rules";
import { expect } from "vitest";
import { mate, teamDraft, test, waitingFor } from "../../test/scratch.ts";
import type { Team } from "../store.ts";
import { examine } from "./doctor.ts";
import { openFileStore } from "./file-store.ts";
import { openInbox } from "./inbox.ts";
import { openOnlooker } from "./onlooker.ts";

const entry = (text: string) =>
  codecFor("2026-02").newEntry({
    from: { name: "bob" },
    content: { text },
    timestamp: "2026-02-13T10:45:20.631Z",
    messageId: crypto.randomUUID(),
  });

async function prepare(root: string) {
  const home = join(root, "home");
  const outside = join(root, "outside");
  mkdirSync(outside);
  const store = openFileStore({ root: home });
  const team = await store.createTeam(teamDraft);
  await team.join(mate("alice"));
  const lead = await team.as("team-lead");
  await lead.send("alice", { text: "first" });
  await team.tasks.create({ subject: "s", description: "d" });
  return { home, outside, store, team, lead };
}

/** Puts what stood at `path` outside, and a link to it in its place. */
function exile(path: string, outside: string): void {
  renameSync(path, join(outside, "it"));
  symlinkSync(join(outside, "it"), path);
}

test("[ATP-FS-006] no link is followed out of the root, whichever directory it stands for", async ({ root }) => {
  const { home, outside, store, lead, team } = await prepare(root);
  exile(join(home, "teams/t/inboxes"), outside);
  const before = readdirSync(join(outside, "it"));
  await expect(lead.send("alice", { text: "second" })).rejects.toMatchObject({ code: "path_escaping" });
  await expect(team.mail("alice").page()).rejects.toMatchObject({ code: "path_escaping" });
  await expect((await team.as("alice")).receive()).rejects.toMatchObject({ code: "path_escaping" });
  expect(readdirSync(join(outside, "it"))).toEqual(before);
  await expect(store.openTeam("t")).rejects.toMatchObject({ code: "path_escaping" });
});

test("[ATP-FS-006] a link in place of a team or of its tasks is no way out either", async ({ root }) => {
  const { home, outside, store, team } = await prepare(root);
  exile(join(home, "tasks/t"), outside);
  await expect(team.tasks.create({ subject: "s", description: "d" })).rejects.toMatchObject({ code: "path_escaping" });
  await expect(team.tasks.list()).rejects.toMatchObject({ code: "path_escaping" });
  await expect(team.tasks.remove("1")).rejects.toMatchObject({ code: "path_escaping" });
  await expect(store.deleteTeam("t", { evenIfActive: true })).rejects.toMatchObject({ code: "path_escaping" });
  renameSync(join(home, "teams/t"), join(outside, "team"));
  symlinkSync(join(outside, "team"), join(home, "teams/t"));
  await expect(store.openTeam("t")).rejects.toMatchObject({ code: "path_escaping" });
  await expect(store.deleteTeam("t", { evenIfActive: true })).rejects.toMatchObject({ code: "path_escaping" });
  expect(readdirSync(join(outside, "it")).sort()).toEqual([".lock", "1.json"]);
  expect(readdirSync(join(outside, "team")).sort()).toEqual(["config.json", "inboxes"]);
});

test("[ATP-FS-006] teams/ and tasks/ themselves lead nowhere else: writers, readers and the doctor refuse them alike", async ({
  root,
}) => {
  const { home, outside, store, lead, team } = await prepare(root);
  exile(join(home, "teams"), outside);
  const before = readdirSync(join(outside, "it/t/inboxes"));
  const escaping = { code: "path_escaping", message: expect.stringContaining(`${join(home, "teams")} is a link`) };
  await expect(store.openTeam("t")).rejects.toMatchObject(escaping);
  await expect(store.listTeams()).rejects.toMatchObject(escaping);
  await expect(store.createTeam({ ...teamDraft, name: "u", leadSessionId: "v" })).rejects.toMatchObject(escaping);
  await expect(store.deleteTeam("t", { evenIfActive: true })).rejects.toMatchObject(escaping);
  expect(() => openOnlooker().names(join(home, "teams"))).toThrow(expect.objectContaining(escaping));
  expect(await examine({ root: home })).toContainEqual(
    expect.objectContaining({ kind: "directory_unusable", path: "teams" }),
  );
  expect(readdirSync(join(outside, "it/t/inboxes"))).toEqual(before);
  rmSync(join(home, "teams"));
  renameSync(join(outside, "it"), join(home, "teams"));
  exile(join(home, "tasks"), outside);
  for (const attempt of [
    () => team.tasks.list(),
    () => team.tasks.get("1"),
    () => team.tasks.create({ subject: "s", description: "d" }),
    () => lead.tasks.update("1", { subject: "n" }),
    () => team.tasks.claimNext("alice"),
    () => team.tasks.remove("1"),
  ])
    await expect(attempt()).rejects.toMatchObject({ code: "path_escaping" });
  expect(readdirSync(join(outside, "it/t")).sort()).toEqual([".lock", "1.json"]);
});

test("the root itself may be a link", async ({ root }) => {
  mkdirSync(join(root, "real"));
  symlinkSync(join(root, "real"), join(root, "home"));
  const store = openFileStore({ root: join(root, "home") });
  const team = await store.createTeam(teamDraft);
  await (await team.as("team-lead")).send("team-lead", { text: "note" });
  expect(await store.listTeams()).toEqual(["t"]);
  expect(await examine({ root: join(root, "home") })).toEqual([]);
  await store.deleteTeam("t");
  expect(readdirSync(join(root, "real/teams"))).toEqual([]);
});

test("a document that is a link is not read, and is not written through", async ({ file, root }) => {
  const victim = join(root, "victim");
  writeFileSync(victim, "[]");
  symlinkSync(victim, file);
  const inbox = openInbox({ path: file, codec: codecFor("2026-02") });
  await expect(inbox.take()).rejects.toMatchObject({
    code: "document_unreadable",
    message: expect.stringContaining("link"),
  });
  await expect(inbox.append(entry("hi"))).rejects.toMatchObject({ code: "document_unreadable" });
  expect(readFileSync(victim, "utf8")).toBe("[]");
});

test("a pipe or a file too large in place of an inbox is an error at once, for that inbox alone", async ({ root }) => {
  const { home, store, lead, team } = await prepare(root);
  const path = (name: string) => join(home, `teams/t/inboxes/${name}.json`);
  execFileSync("mkfifo", [path("team-lead")]);
  writeFileSync(path("big"), "");
  truncateSync(path("big"), maxBytes + 1);
  await expect(team.mail("team-lead").page()).rejects.toMatchObject({ code: "document_unreadable" });
  await expect(lead.send("team-lead", { text: "to myself" })).rejects.toMatchObject({ code: "document_unreadable" });
  const again = (await store.openTeam("t")) as Team;
  await expect(again.mail("big").page()).rejects.toMatchObject({ code: "document_unreadable" });
  const big = openInbox({ path: path("big"), codec: codecFor("2026-02") });
  await expect(big.append(entry("hi"))).rejects.toMatchObject({ code: "inbox_full" });
  expect((await waitingFor(again, "alice")).map(({ entry: { text } }) => text)).toEqual(["first"]);
});
