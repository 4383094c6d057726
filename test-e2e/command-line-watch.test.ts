import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openFileStore } from "@troupe/store/files";
import { expect, test } from "vitest";
import { expectSchema, openTroupe } from "./command-line.ts";

const { root, troupe, told, live, refusal } = openTroupe();

const draft = { createdAt: 1, leadSessionId: "s", leadModel: "m", cwd: "/" };

const watch = (...args: string[]) => live("watch", ...args);

test("what happens in a team is told while it happens, in words, and the end of the team is the end", async () => {
  told("team", "create", "t");
  const { until, closed } = watch("t");
  await until((line) => line === "  none");
  const sees = (words: string) => until((line) => line.endsWith(words));
  told("team", "join", "t", "alice");
  await sees("  alice joined");
  told("task", "create", "t", "Read it");
  await sees("  #1 pending  Read it");
  told("send", "t", "alice", "Begin.");
  await sees("  team-lead to alice: Begin.");
  told("task", "claim", "t", "--as", "alice");
  await sees("  #1 pending -> in_progress  Read it  alice");
  told("inbox", "t", "alice", "--take");
  await sees("  alice has read 1 message");
  told("team", "delete", "t", "--yes", "--force");
  await sees("  t is gone");
  expect(await closed).toEqual([0, null]);
});

test("the same for a program: one document a line, each as the schema says", async () => {
  told("team", "create", "u", "--revision", "2026-11");
  told("team", "join", "u", "bob");
  const { until, closed } = watch("u", "--json");
  const sees = async (event: string) => {
    const line = await until((one) => JSON.parse(one).event === event);
    expectSchema("watch", JSON.parse(line));
    return JSON.parse(line);
  };
  expect((await sees("team")).team).toMatchObject({ name: "u", form: "2026-11" });
  told("team", "join", "u", "carol");
  expect(await sees("member_joined")).toMatchObject({ member: "carol" });
  told("send", "u", "bob", "Hello.");
  expect(await sees("message")).toMatchObject({ to: "bob", isUnread: true, entry: { text: "Hello." } });
  told("inbox", "u", "bob", "--take");
  expect(await sees("messages_taken")).toMatchObject({ member: "bob", count: 1 });
  told("task", "create", "u", "One");
  expect((await sees("task")).task).toMatchObject({ id: "1", openBlockers: [] });
  writeFileSync(join(root, "tasks/u/7.json"), "{");
  expect((await sees("problem")).problem).toMatchObject({ file: "tasks/u/7.json", code: "document_torn" });
  told("task", "delete", "u", "1", "--yes");
  expect(await sees("task_deleted")).toMatchObject({ id: "1" });
  told("team", "leave", "u", "bob");
  expect(await sees("member_left")).toMatchObject({ member: "bob" });
  told("team", "delete", "u", "--yes", "--force");
  await sees("team_deleted");
  expect(await closed).toEqual([0, null]);
});

test("a watch tells the same events as the team's own history, each once and to the last, in words too", async () => {
  const store = openFileStore({ root });
  const team = await store.createTeam({ ...draft, name: "h" });
  await team.join({ name: "ann", agentType: "worker", model: "m", prompt: "", joinedAt: 1, cwd: "/" });
  const [lead, ann] = [await team.as("team-lead"), await team.as("ann")];
  await lead.record({ kind: "spawning", name: "ann", joinedAt: 1 });
  const [documents, words] = [watch("h", "--json"), watch("h")];
  const told: { readonly event: string; readonly [field: string]: unknown }[] = [];
  const sees = (wanted: string) =>
    documents.until((line) => {
      told.push(JSON.parse(line));
      return told.at(-1)?.event === wanted;
    });
  await sees("team");
  await words.until((line) => line === "  none");
  const began = { kind: "tool", phase: "began", call: "t1", tool: "Bash" };
  await ann.record({ kind: "turn", phase: "began" });
  await ann.record(began);
  await ann.record({ ...began, phase: "ended", isError: false });
  await lead.send("ann", { text: "Begin." });
  await sees("message");
  expect(told.at(-1)).toMatchObject({ to: "ann", vouchedBy: "team-lead" });
  await ann.record({ kind: "permission", id: "p1", phase: "asked" });
  await ann.record({ kind: "of a newer program", n: 1 });
  await ann.record({ kind: "idle" });
  for (const line of ["begins a turn", "runs Bash", "asks for a permission", "of a newer program", "has nothing to do"])
    await words.until((one) => one.endsWith(`ann ${line}`));
  await lead.record({ kind: "stopped", name: "ann", detail: "ann was ended\nits last words" });
  await words.until((one) => one.endsWith("team-lead has seen ann end: ann was ended"));
  // One that was not there when the last was recorded and the team deleted tells it all the same.
  documents.child.kill("SIGSTOP");
  await lead.record({ kind: "stopped", name: "bob", detail: "bob was ended" });
  await store.deleteTeam("h", { evenIfActive: true });
  documents.child.kill("SIGCONT");
  await sees("team_deleted");
  const history: object[] = [];
  for await (const { id, at, by, event } of store.past("h"))
    history.push({ event: "recorded", id, at, by, recorded: event });
  expect(told.filter(({ event }) => event === "recorded")).toEqual(history.slice(1));
  expect(history).toHaveLength(10);
  for (const one of told) expectSchema("watch", one);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s ends a watch with %d and without a word", async (signal, exit) => {
  told("team", "create", `w${exit}`);
  const { child, closed, until } = watch(`w${exit}`);
  let complaint = "";
  child.stderr.on("data", (data) => {
    complaint += data;
  });
  await until((line) => line === "  none");
  child.kill(signal);
  expect([await closed, complaint]).toEqual([[exit, null], ""]);
});

test("a reader that goes away ends a watch with the next thing that happens", async () => {
  told("team", "create", "v");
  const { child, closed, until } = watch("v");
  await until((line) => line === "  none");
  child.stdout.destroy();
  told("task", "create", "v", "One");
  expect(await closed).toEqual([0, null]);
});

test("there is nothing to watch where there is no team", () => {
  expect(refusal(3, ["watch", "none"])).toContain(`there is no team none under ${root}`);
  expect(troupe(["watch", "none", "--json"])).toMatchObject({ status: 3, stdout: "" });
});
