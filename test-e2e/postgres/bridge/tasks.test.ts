import { revisions, type Task } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { openBridge, openPostgresStore } from "@troupe/store-postgres";
import { describe, expect, test } from "vitest";
import { describeWithServer } from "../suite.ts";
import { type Root, type Roots, withRoots } from "./roots.ts";

type Doc = Task & Record<string, unknown>;

const path = (id: string) => `tasks/crew/${id}.json`;
const taskOf = (root: Root, id: string) => root.read(path(id)) as Doc;
const ownerOf = (root: Root, id: string) => taskOf(root, id).owner;
const first = "10001";

/** As a client writes it that knows nothing of Troupe. */
const created = (id: string, subject: string, more: object = {}) => ({
  id,
  subject,
  description: "",
  status: "pending",
  blocks: [],
  blockedBy: [],
  ...more,
});
const change = (root: Root, id: string, fields: object) => root.write(path(id), { ...taskOf(root, id), ...fields });
const claim = (root: Root, id: string, owner: string) => change(root, id, { owner, status: "in_progress" });
const sharedTask = async ({ shared }: Roots, id: string) =>
  (await (await shared.openTeam("crew"))?.tasks.get(id))?.value;
const mailOf = (root: Root, name: string) =>
  (root.read(`teams/crew/inboxes/${name}.json`) as readonly { text: string }[]).map(({ text }) => text);

await describeWithServer("tasks over a bridge", (server) => {
  test.each(revisions)(
    "in %s are free in the files of one host at a time, of as many as have somebody idle",
    (revision) =>
      withRoots(server(), revision, async (roots) => {
        const { a, b, c, team, carry } = roots;
        await c.carry();
        const lead = await (await team(a)).as("team-lead");
        const ids = [];
        for (const subject of ["one", "two", "three"])
          ids.push((await lead.tasks.create({ subject, description: "", metadata: { kept: subject } })).id);
        expect(ids).toEqual(["10001", "10002", "10003"]);
        await carry();
        await carry();
        expect(ids.map((id) => [a, b, c].map((root) => ownerOf(root, id)))).toEqual([
          [undefined, "host.a", "host.a"],
          ["host.b", undefined, "host.b"],
          ["host.none", "host.none", "host.none"],
        ]);
        expect(taskOf(c, "10003")).toMatchObject({ subject: "three", metadata: { kept: "three" } });

        const bob = await (await team(b)).as("bob");
        expect((await bob.tasks.claimNext("bob"))?.id).toBe("10002");
        expect((await bob.tasks.claim(first, "bob")).outcome).toBe("taken");
        await carry();
        await carry();
        expect(await sharedTask(roots, "10002")).toMatchObject({ owner: "bob", status: "in_progress" });
        expect(ownerOf(a, "10002")).toBe("bob");
        expect(ownerOf(b, "10003")).toBe("host.none");
        await bob.tasks.complete("10002");
        await carry();
        await carry();
        expect(ownerOf(b, "10003")).toBeUndefined();
      }),
  );

  test("that stood in files before a bridge began keep their ids, also those that a client keeps to itself", () =>
    withRoots(server(), "2026-02", async ({ place, c }) => {
      const root = `${c.directory}/before`;
      const files = openFileStore({ root });
      const shared = await openPostgresStore(place);
      const draft = { name: "early", createdAt: 1, leadSessionId: "two", leadModel: "m", cwd: "/p" };
      const { tasks } = await files.createTeam({ ...draft, revision: "2026-02" });
      await tasks.create({ subject: "one", description: "" });
      await tasks.create({ subject: "its own", description: "", metadata: { _internal: true } });
      const bridge = await openBridge({ url: place.url, root, host: "d", teams: ["early"] });
      try {
        const there = (await shared.openTeam("early"))?.tasks;
        expect((await there?.create({ subject: "three", description: "" }))?.id).toBe("3");
        expect((await bridge.once()).get("early")?.problems).toEqual([]);
        const { tasks: seen } = await tasks.list();
        expect(seen.map(({ id, subject }) => [id, subject])).toEqual([
          ["1", "one"],
          ["3", "three"],
        ]);
      } finally {
        await Promise.all([bridge.close(), files.close(), shared.close()]);
      }
    }));

  describe("that clients of two files want", () => {
    test("are had by who claims where they are free, though another writes an owner elsewhere: that one is told", () =>
      withRoots(server(), "2026-02", async (roots) => {
        const { a, b, carry } = roots;
        a.write(path(first), created(first, "one"));
        await carry();
        claim(a, first, "alice");
        claim(b, first, "bob");
        await b.carry();
        await carry();
        await carry();
        for (const root of [a, b]) expect(taskOf(root, first)).toMatchObject({ owner: "alice", status: "in_progress" });
        expect(mailOf(b, "bob")).toEqual([expect.stringContaining("Task 10001: your change of owner came after")]);
      }));

    test("are given up where they lie unclaimed to the host whose lead gives them to somebody", () =>
      withRoots(server(), "2026-02", async (roots) => {
        const { a, b, team, carry } = roots;
        b.write(path(first), created(first, "one"));
        await carry();
        expect([ownerOf(a, first), ownerOf(b, first)]).toEqual(["host.b", undefined]);
        await (await team(a)).tasks.update(first, { owner: "alice" });
        await a.carry();
        expect((await sharedTask(roots, first))?.owner).toBe("host.b");
        await carry();
        await carry();
        for (const root of [a, b]) expect(taskOf(root, first)).toMatchObject({ owner: "alice", status: "pending" });
      }));

    test("move on where nobody takes them, and from a host that was not heard of for long", () =>
      withRoots(server(), "2026-02", async ({ place, a, b, carry }) => {
        a.write(path(first), created(first, "one"));
        await carry();
        expect(ownerOf(a, first)).toBeUndefined();
        await place.run("update bridge_offer set since = since - interval '1 minute'");
        await carry();
        expect([ownerOf(a, first), ownerOf(b, first)]).toEqual(["host.b", undefined]);
        await place.run("update bridge_host set heard_at = heard_at - interval '1 hour' where host = 'b'");
        claim(b, first, "bob");
        await a.carry();
        await place.run("update bridge_offer set since = since - interval '1 minute'");
        await carry();
        await carry();
        expect(taskOf(a, first)).toEqual(taskOf(b, first));
        expect(taskOf(a, first)["owner"]).toBe("bob");
      }));
  });

  test.each(revisions)("in %s have their edges on all sides, and what waits is free once that is done", (revision) =>
    withRoots(server(), revision, async (roots) => {
      const { a, b, team, carry } = roots;
      const [here, there] = [await team(a), await team(b)];
      const one = await here.tasks.create({ subject: "one", description: "" });
      const two = await here.tasks.create({ subject: "two", description: "" }, { addBlockedBy: [one.id] });
      await carry();
      await carry();
      expect(taskOf(b, two.id)).toMatchObject({ blockedBy: [one.id], owner: "host.none" });
      expect(taskOf(b, one.id).blocks).toEqual([two.id]);
      expect((await here.tasks.claim(one.id, "alice")).outcome).toBe("claimed");
      await here.tasks.complete(one.id);
      await carry();
      await carry();
      const free = [a, b].filter((root) => ownerOf(root, two.id) === undefined);
      expect(free).toHaveLength(1);
      expect(await (free[0] === a ? here : there).tasks.claim(two.id, free[0] === a ? "alice" : "bob")).toMatchObject({
        outcome: "claimed",
      });
      await there.tasks.update(one.id, { subject: "first", metadata: { seen: true } });
      await carry();
      expect(taskOf(a, one.id)).toMatchObject({ subject: "first", metadata: { seen: true } });
      expect((await sharedTask(roots, two.id))?.status).toBe("in_progress");
    }),
  );

  test("that were changed on two sides have both changes, and of one field the first that was carried", () =>
    withRoots(server(), "2026-02", async (roots) => {
      const { a, b, carry } = roots;
      a.write(path(first), created(first, "one", { ours: 1 }));
      await carry();
      change(a, first, { subject: "of a", ours: 2 });
      change(b, first, { subject: "of b", description: "of b" });
      await a.carry();
      await carry();
      for (const root of [a, b])
        expect(taskOf(root, first)).toMatchObject({ subject: "of a", description: "of b", ours: 2 });
      expect(mailOf(b, "bob")).toEqual([expect.stringContaining("your change of subject came after another's")]);
    }));

  test("that two clients create at once have two ids, also where one does not keep to those set apart", () =>
    withRoots(server(), "2026-02", async ({ a, b, carry, team }) => {
      a.write(path(first), created(first, "of a"));
      b.write(path(first), created(first, "of b"));
      await (await team(b)).tasks.create({ subject: "apart", description: "" });
      await carry();
      await carry();
      const subjects = async (root: Root) =>
        (await (await team(root)).tasks.list()).tasks.map(({ id, subject }) => `${id} ${subject}`).sort();
      expect(await subjects(a)).toEqual(await subjects(b));
      expect((await subjects(a)).map((line) => line.replace(/^\d+ /, "")).sort()).toEqual(["apart", "of a", "of b"]);
      expect(taskOf(b, first).subject).toBe("of a");
    }));

  test("that are removed on one side are gone on all, and their ids are not given again", () =>
    withRoots(server(), "2026-02", async ({ a, b, carry, team }) => {
      const made = await (await team(a)).tasks.create({ subject: "one", description: "" });
      await carry();
      expect(await (await team(a)).tasks.remove(made.id)).toBe(true);
      await carry();
      expect(() => taskOf(b, made.id)).toThrow("ENOENT");
      expect((await (await team(b)).tasks.create({ subject: "two", description: "" })).id).not.toBe(made.id);
    }));

  test("of the database itself come with its ids, and go on there", () =>
    withRoots(server(), "2026-02", async (roots) => {
      const { a, carry, shared, team } = roots;
      const tasks = (await shared.openTeam("crew"))?.tasks;
      await tasks?.create({ subject: "one", description: "" });
      await carry();
      await carry();
      expect(ownerOf(a, "1")).toBeUndefined();
      expect(await tasks?.claimNext("alice")).toBeUndefined();
      expect((await (await team(a)).tasks.claimNext("alice"))?.id).toBe("1");
      await carry();
      expect(await sharedTask(roots, "1")).toMatchObject({ owner: "alice" });
    }));
});
