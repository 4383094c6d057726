import { openFileStore } from "@troupe/store/files";
import { expect, test } from "vitest";
import { expectSchema, openTroupe } from "./command-line.ts";

const { root, told, json, refusal, live } = openTroupe();

test("a log is cut to its last events, to those since a moment, and to those of a member", () => {
  told("team", "create", "t");
  for (const name of ["ann", "bob"]) told("team", "join", "t", name);
  for (const text of ["one", "two", "three"]) told("send", "t", "ann", text, "--as", "bob");
  told("send", "t", "bob", "four", "--as", "ann");
  const texts = (...args: string[]) =>
    json("log", ["log", "t", ...args]).events.flatMap(({ entry }: { entry?: { text: string } }) => entry?.text ?? []);
  expect(texts()).toEqual(["one", "two", "three", "four"]);
  expect(texts("--from", "bo")).toEqual(["one", "two", "three"]);
  expect(texts("--from", "bob", "-n", "3", "--since", "1h")).toEqual(["three"]);
  expect(texts("--since", "2999-01-01")).toEqual([]);
  expect(texts("--since", "1d")).toHaveLength(4);
  expect(told("log", "t", "-n", "1").split("\n")).toHaveLength(2);
  expect(told("log", "t", "-n", "0")).toBe("");
  for (const when of ["yesterday", "10", "10 weeks"])
    expect(refusal(2, ["log", "t", "--since", when])).toContain(`not "${when}"`);
  expect(refusal(2, ["log", "t", "-n", "few"])).toBe('--lines needs a number, not "few"');
});

test("a log that follows goes on with what happens, of one member if that was asked for, to the end of the team", async () => {
  const all = live("log", "t", "-n", "1", "--follow", "--json");
  const ofAnn = live("log", "t", "--from", "ann", "-f");
  const documents: { readonly event: string; readonly entry?: { readonly text: string } }[] = [];
  const sees = (text: string) =>
    all.until((line) => {
      const document = JSON.parse(line);
      expectSchema("log", document);
      documents.push(document);
      return document.entry?.text === text || document.event === text;
    });
  await ofAnn.until((line) => line.endsWith("ann to bob: four"));
  await all.until((line) => line !== "");
  told("send", "t", "ann", "five", "--as", "bob");
  const team = await openFileStore({ root }).openTeam("t");
  await (await team?.as("bob"))?.record({ kind: "idle" });
  told("send", "t", "bob", "six", "--as", "ann");
  await sees("six");
  expect(documents.map(({ entry }) => entry?.text)).toContain("five");
  expect(await ofAnn.until(() => true)).toMatch(/ann to bob: six$/);
  told("team", "delete", "t", "--yes", "--force");
  await sees("team_deleted");
  expect(await all.closed).toEqual([0, null]);
  expect(await ofAnn.closed).toEqual([0, null]);
});

test.each([
  ["2026-02", ["--take"]],
  ["2026-11", ["--take"]],
  ["2026-11", []],
])(
  "an inbox that is followed tells each message once, takes it where that was asked for, and ends with its team (%s, %j)",
  async (revision, take) => {
    const team = `m${revision}`;
    told("team", "create", team, "--revision", revision);
    told("team", "join", team, "ann");
    told("send", team, "ann", "first");
    const { until, closed } = live("inbox", team, "ann", "--follow", "--json", ...take);
    const seen: string[] = [];
    const sees = (text: string) =>
      until((line) => {
        const document = JSON.parse(line);
        expectSchema("inbox", document);
        seen.push(document.entry.text);
        return document.entry.text === text;
      });
    await sees("first");
    told("send", team, "ann", "second");
    told("send", team, "team-lead", "none of hers", "--as", "ann");
    told("send", team, "ann", "third");
    await sees("third");
    expect(seen).toEqual(["first", "second", "third"]);
    const unread = () => json("inbox", ["inbox", team, "ann"]).messages.length;
    await expect.poll(unread).toBe(take.length === 0 ? 3 : 0);
    told("team", "delete", team, "--yes", "--force");
    expect(await closed).toEqual([0, null]);
  },
);

test("a task list that is watched is told again when a task changes, and ends with its team", async () => {
  told("team", "create", "w");
  told("task", "create", "w", "Read it");
  const { until, closed } = live("task", "list", "w", "--watch", "--json");
  const statuses = async (wanted: string) =>
    until((line) => {
      const document = JSON.parse(line);
      expectSchema("task-list", document);
      return document.tasks.map(({ status }: { status: string }) => status).join() === wanted;
    });
  await statuses("pending");
  told("task", "claim", "w", "1");
  await statuses("in_progress");
  told("task", "create", "w", "Test it");
  await statuses("in_progress,pending");
  const words = live("task", "list", "w", "--watch", "--ready");
  await words.until((line) => line.includes("#2"));
  told("task", "complete", "w", "1", "--as", "team-lead");
  await statuses("completed,pending");
  told("team", "delete", "w", "--yes");
  expect(await closed).toEqual([0, null]);
  expect(await words.closed).toEqual([0, null]);
  expect(refusal(3, ["task", "list", "w", "--watch"])).toContain("there is no team");
});

test("a dependency is taken away again, a task is completed in a member's name, and what contradicts itself is refused", async () => {
  told("team", "create", "d");
  told("team", "join", "d", "ann");
  for (const subject of ["One", "Two", "Three"]) told("task", "create", "d", subject);
  told("task", "update", "d", "3", "--blocked-by", "1,2");
  told("task", "update", "d", "1", "--blocks", "2");
  expect(json("task-update", ["task", "update", "d", "3", "--not-blocked-by", "1"]).task).toMatchObject({
    blockedBy: ["2"],
  });
  expect(json("task-update", ["task", "update", "d", "1", "--not-blocks", "#2"]).task).toMatchObject({ blocks: [] });
  expect(json("task-show", ["task", "show", "d", "2"]).task).toMatchObject({ blockedBy: [], blocks: ["3"] });
  expect(refusal(2, ["task", "update", "d", "3", "--blocked-by", "1", "--not-blocked-by", "1"])).toBe(
    "#1 cannot be added and taken away at once: leave one out",
  );
  expect(json("task-complete", ["task", "complete", "d", "2", "--as", "an"]).task).toMatchObject({
    status: "completed",
  });
  expect(refusal(3, ["task", "complete", "d", "1", "--as", "zoe"])).toContain("zoe is no member of d");
  const team = await openFileStore({ root }).openTeam("d");
  const events = [];
  for await (const { by, event } of team?.history() ?? []) events.push({ by, event });
  expect(events.at(-1)).toMatchObject({ by: "ann", event: { kind: "task", id: "2", status: "completed" } });
});

test("one message goes to every other member, and to nobody where there is none", () => {
  told("team", "create", "all");
  expect(refusal(3, ["send", "all", "--all", "hi"])).toContain("team-lead is alone in all");
  for (const name of ["ann", "bob"]) told("team", "join", "all", name);
  const { sent } = json("send", ["send", "all", "--all", "Push it.", "--summary", "push"]);
  expect(sent.map(({ to }: { to: string }) => to)).toEqual(["ann", "bob"]);
  expect(told("send", "all", "--all", "From ann.", "--as", "ann")).toBe("sent to team-lead, bob from ann\n");
  expect(json("inbox", ["inbox", "all", "bob"]).messages).toMatchObject([
    { entry: { text: "Push it.", summary: "push" } },
    { entry: { text: "From ann.", from: "ann" } },
  ]);
  expect(refusal(2, ["send", "all", "ann", "hi", "--all"])).toContain("is one argument too many");
});
