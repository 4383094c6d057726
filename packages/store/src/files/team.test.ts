import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type InboxEntry, revisions } from "@troupe/protocol";
import { describe, expect } from "vitest";
import { mailOf, mate, teamDraft, test, waitingFor } from "../../test/scratch.ts";
import { openFileStore } from "./file-store.ts";

describe.each(revisions)("%s", (revision) => {
  const make = async (root: string, ...names: string[]) => {
    const team = await openFileStore({ root }).createTeam({ ...teamDraft, revision });
    for (const name of names) await team.join(mate(name));
    return team;
  };
  const bodies = (root: string, agent: string) => {
    const path = join(root, `teams/t/inboxes/${agent}.json`);
    if (!existsSync(path)) return [];
    return (JSON.parse(readFileSync(path, "utf8")) as InboxEntry[]).map((entry) => ({
      from: entry.from,
      keys: Object.keys(entry).filter((key) => key === "summary" || key === "color"),
      body: JSON.parse(entry.text) as object,
    }));
  };

  test("[TASK-14] [ATP-TSK-044] [ATP-INB-015] whoever is given a task is told so, under the name of who gave it", async ({
    root,
  }) => {
    const team = await make(root, "alice", "bob");
    const task = await team.tasks.create({ subject: "Parse", description: "All of it" });
    const bob = await team.as("bob");
    await bob.tasks.update(task.id, { owner: "alice" });
    await team.tasks.update(task.id, { owner: "bob" });
    const told = { type: "task_assignment", taskId: "1", subject: "Parse", description: "All of it" };
    await bob.tasks.create({ subject: "Lex", description: "" }, { owner: "alice" });
    const next = { ...told, taskId: "2", subject: "Lex", description: "", assignedBy: "bob" };
    expect(bodies(root, "alice")).toMatchObject([
      { from: "bob", keys: [], body: { ...told, assignedBy: "bob" } },
      { from: "bob", keys: [], body: next },
    ]);
    expect(bodies(root, "bob")).toMatchObject([{ from: "team-lead", body: { ...told, assignedBy: "team-lead" } }]);
  });

  test("[ATP-TSK-046] an owner that stays the same is told nothing, and neither is one that takes a task", async ({
    root,
  }) => {
    const team = await make(root, "alice");
    const task = await team.tasks.create({ subject: "s", description: "d" });
    await team.tasks.claim(task.id, "alice");
    await team.tasks.update(task.id, { owner: "alice", subject: "t" });
    expect(bodies(root, "alice")).toEqual([]);
  });

  const isToldOfOwn = revision === "2026-11";
  test(`${isToldOfOwn ? "[ATP-TSK-104]" : "[ATP-TSK-045]"} a member that gives a task to itself is ${isToldOfOwn ? "" : "not "}told so`, async ({
    root,
  }) => {
    const team = await make(root, "alice");
    const task = await team.tasks.create({ subject: "s", description: "d" });
    await (await team.as("alice")).tasks.update(task.id, { owner: "alice" });
    expect(bodies(root, "alice")).toHaveLength(isToldOfOwn ? 1 : 0);
  });

  test("[TASK-15] [TASK-11] the lead makes the list and gives tasks away, a teammate takes, works on and makes its own", async ({
    root,
  }) => {
    const team = await make(root, "alice");
    const [lead, alice] = [await team.as("team-lead"), await team.as("alice")];
    const [first, second] = [
      await lead.tasks.create({ subject: "one", description: "" }),
      await lead.tasks.create({ subject: "two", description: "" }),
    ];
    await lead.tasks.update(first.id, { owner: "alice" });
    expect(await alice.tasks.claim(first.id, "alice")).toMatchObject({ outcome: "claimed" });
    expect((await alice.tasks.claimNext("alice"))?.id).toBe(second.id);
    await alice.tasks.update(first.id, { description: "half done" });
    const own = await alice.tasks.create({ subject: "three", description: "" });
    expect((await lead.tasks.list()).tasks.map(({ id, owner }) => [id, owner])).toEqual([
      [first.id, "alice"],
      [second.id, "alice"],
      [own.id, undefined],
    ]);
  });

  test("a task that waits may be given to somebody, but not begun before what it waits for is done", async ({
    root,
  }) => {
    const { tasks } = await make(root, "alice");
    for (const subject of ["one", "two"]) await tasks.create({ subject, description: "" });
    await tasks.update("2", { addBlockedBy: ["1"], owner: "alice" });
    await expect(tasks.update("2", { status: "in_progress" })).rejects.toMatchObject({
      code: "task_blocked",
      message: expect.stringContaining("waits for 1"),
    });
    expect((await tasks.get("2")).value).toMatchObject({ status: "pending", owner: "alice" });
    await tasks.complete("1");
    expect(await tasks.update("2", { status: "in_progress" })).toMatchObject({ status: "in_progress" });
  });

  test("[ATP-MEM-012] [ATP-MEM-016] [ATP-MEM-017] a member's pane is written as its backend names it, and nothing else is", async ({
    root,
  }) => {
    const team = await make(root, "alice", "bob");
    await team.updateMember("alice", { tmuxPaneId: "in-process", backendType: "in-process" });
    await team.updateMember("bob", { tmuxPaneId: "%12", backendType: "tmux" });
    const { value } = await team.config();
    expect(value?.members.slice(1).map(({ tmuxPaneId, backendType }) => [tmuxPaneId, backendType])).toEqual([
      ["in-process", "in-process"],
      ["%12", "tmux"],
    ]);
    for (const wrong of [{ tmuxPaneId: "12" }, { backendType: "pane" }, { tmuxPaneId: "in-process" }])
      await expect(team.updateMember("bob", wrong), JSON.stringify(wrong)).rejects.toMatchObject({
        code: "document_invalid",
      });
  });

  test("[ATP-MEM-019] a member works in an absolute directory", async ({ root }) => {
    const team = await make(root);
    await expect(team.join({ ...mate("alice"), cwd: "src" })).rejects.toMatchObject({ code: "document_invalid" });
    await team.join(mate("bob"));
    expect((await team.config()).value?.members.map(({ cwd }) => cwd)).toEqual(["/p", "/p"]);
  });

  test("the lead leads to the end", async ({ root }) => {
    const team = await make(root, "alice");
    const before = readFileSync(join(root, "teams/t/config.json"), "utf8");
    await expect(team.leave("team-lead")).rejects.toMatchObject({ code: "lead_fixed" });
    expect(readFileSync(join(root, "teams/t/config.json"), "utf8")).toBe(before);
    await team.leave("alice");
    expect(await team.leave("alice")).toBe(false);
  });

  test("a message is with its recipient once the inbox does not hand it out any more, for anybody who looks", async ({
    root,
  }) => {
    const team = await make(root, "alice");
    const alice = await team.as("alice");
    const { key } = await (await team.as("team-lead")).send("alice", { text: "hi" });
    const isWaiting = async () => (await waitingFor(team, "alice")).some((message) => message.key === key);
    expect(await isWaiting()).toBe(true);
    await (await alice.receive()).acknowledge(new Set([key]));
    expect(await isWaiting()).toBe(false);
  });

  test("whoever waits for messages gets what is there at once, else the next, and nothing when it is told to stop", async ({
    root,
  }) => {
    const team = await make(root, "alice");
    const alice = await (await team.as("alice")).receive();
    const lead = await team.as("team-lead");
    const next = alice.wait();
    await lead.send("alice", { text: "first" });
    expect((await next).map(({ entry }) => entry.text)).toEqual(["first"]);
    expect((await alice.wait()).map(({ entry }) => entry.text)).toEqual(["first"]);
    await alice.acknowledge(new Set((await alice.take()).map(({ key }) => key)));
    const stop = new AbortController();
    const never = alice.wait(stop.signal);
    stop.abort();
    expect(await never).toEqual([]);
  });

  test("whoever watches a team hears of members, messages and tasks, each by name, from before there are any", async ({
    root,
  }) => {
    const team = await make(root);
    const changes = team.watch();
    const until = async (wanted: object) => {
      for await (const change of { [Symbol.asyncIterator]: () => ({ next: () => changes.next() }) })
        if (JSON.stringify(change) === JSON.stringify(wanted)) return change;
      return undefined;
    };
    await team.join(mate("alice"));
    expect(await until({ kind: "config" })).toBeDefined();
    await (await team.as("alice")).send("team-lead", { text: "hi" });
    expect(await until({ kind: "inbox", name: "team-lead" })).toBeDefined();
    const { id } = await team.tasks.create({ subject: "s", description: "d" });
    expect(await until({ kind: "task", id })).toBeDefined();
    const last = changes.next();
    await changes.return?.();
    expect((await last).done).toBe(true);
  });

  test("what was read is dropped from all inboxes of a team at rest, and nothing that was not", async ({ root }) => {
    const team = await make(root, "alice");
    const [lead, alice] = [await team.as("team-lead"), await team.as("alice")];
    const { key } = await lead.send("alice", { text: "old" });
    await (await alice.receive()).acknowledge(new Set([key]));
    await lead.send("alice", { text: "new" });
    await expect(team.compact()).rejects.toMatchObject({ code: "team_active" });
    await team.leave("alice");
    expect(await team.compact()).toBe(revision === "2026-02" ? 1 : 0);
    expect((await mailOf(team, "alice")).map(({ entry }) => entry.text)).toEqual(["new"]);
    expect(await team.compact()).toBe(0);
  });

  test("whoever still holds a handle of a team that is gone is told so, and brings nothing of it back", async ({
    root,
  }) => {
    const team = await make(root, "alice");
    const lead = await team.as("team-lead");
    await openFileStore({ root }).deleteTeam("t", { evenIfActive: true });
    await expect(lead.send("alice", { text: "hi" })).rejects.toMatchObject({ code: "team_unknown" });
    await expect(team.join(mate("bob"))).rejects.toMatchObject({ code: "team_unknown" });
    if (revision === "2026-02")
      await expect(team.tasks.create({ subject: "s", description: "" })).rejects.toMatchObject({
        code: "lock_impossible",
      });
    expect(readdirSync(join(root, "teams"))).toEqual([]);
    expect(readdirSync(join(root, "tasks"))).toEqual(revision === "2026-02" ? [] : ["t"]);
  });

  test("a team that is deleted while a message is on its way is named as gone", async ({ root }) => {
    await make(root, "alice");
    let isDeleted = false;
    const now = () => {
      if (isDeleted) rmSync(join(root, "teams/t"), { recursive: true });
      return new Date();
    };
    const lead = await (await openFileStore({ root, now }).openTeam("t"))?.as("team-lead");
    isDeleted = true;
    const sent = lead?.send("alice", { text: "hi" });
    await expect(sent).rejects.toMatchObject({ code: "team_unknown", message: expect.stringContaining("no team t") });
    expect(existsSync(join(root, "teams/t"))).toBe(false);
  });

  test("a member that cannot be read closes the team to senders, and its file stays as it is", async ({ root }) => {
    const team = await make(root);
    mkdirSync(join(root, "teams/t/inboxes"));
    writeFileSync(join(root, "teams/t/config.json"), "[]");
    await expect(team.as("team-lead")).rejects.toMatchObject({ code: "document_unreadable" });
    expect(readFileSync(join(root, "teams/t/config.json"), "utf8")).toBe("[]");
  });

  test("a config that has stood for long is read again once another has changed it", async ({ root }) => {
    const team = await make(root, "alice");
    const path = join(root, "teams/t/config.json");
    utimesSync(path, 10, 10);
    for (let look = 0; look < 2; look += 1) await team.as("alice");
    await expect(team.as("bob")).rejects.toMatchObject({ code: "member_unknown" });
    await (await openFileStore({ root }).openTeam("t"))?.join(mate("bob"));
    utimesSync(path, 20, 20);
    await team.as("bob");
  });

  test("nobody joins under the name of the person, the program or the lead; a team that has such a member is read as it is", async ({
    root,
  }) => {
    const team = await make(root, "alice");
    for (const name of ["user", "System", "team_lead"])
      await expect(team.join(mate(name))).rejects.toMatchObject({ code: "name_invalid" });
    const path = join(root, "teams/t/config.json");
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("alice", "user"));
    expect((await team.config()).value?.members.map(({ name }) => name)).toEqual(["team-lead", "user"]);
    await (await team.as("team-lead")).send("user", { text: "hi" });
    expect(await mailOf(team, "user")).toMatchObject([{ entry: { text: "hi" } }]);
  });
});
