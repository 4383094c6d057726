import { revisions } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { openBridge } from "@troupe/store-postgres";
import { Client } from "pg";
import { expect, test } from "vitest";
import { untilSeen } from "../../../scripts/awaited.ts";
import { describeWithServer } from "../suite.ts";
import { type Root, withRoots } from "./roots.ts";

interface Config {
  readonly members: readonly Readonly<Record<string, unknown>>[];
  readonly [field: string]: unknown;
}

const configOf = (root: Root) => root.read("teams/crew/config.json") as Config;
const namesIn = (root: Root) => configOf(root).members.map(({ name }) => name);
const entryOf = (root: Root, name: string) => configOf(root).members.find((one) => one["name"] === name);

await describeWithServer("members over a bridge", (server) => {
  test.each(revisions)("in %s stand in the files of all, those of elsewhere without pane and first words", (revision) =>
    withRoots(server(), revision, async ({ a, b, c }) => {
      await c.carry();
      for (const root of [a, b, c]) expect(new Set(namesIn(root))).toEqual(new Set(["team-lead", "alice", "bob"]));
      expect(entryOf(b, "bob")).toMatchObject({ prompt: "be bob", color: expect.any(String) });
      expect(entryOf(a, "bob")).toMatchObject({ tmuxPaneId: "", backendType: "remote" });
      expect(entryOf(a, "bob")).not.toHaveProperty("prompt");
      expect(entryOf(a, "alice")).toHaveProperty("prompt");
      expect(configOf(c)["leadSessionId"]).toBe("one");
    }),
  );

  test("change and leave where they live, and that is seen everywhere", () =>
    withRoots(server(), "2026-02", async ({ a, b, c, team, carry, shared }) => {
      await c.carry();
      await (await team(b)).updateMember("bob", { isActive: true, tmuxPaneId: "%7" });
      await carry();
      expect(entryOf(c, "bob")).toMatchObject({ isActive: true, tmuxPaneId: "" });
      expect((await (await shared.openTeam("crew"))?.config())?.value?.members).toContainEqual(
        expect.objectContaining({ name: "bob", tmuxPaneId: "%7" }),
      );
      await (await team(b)).leave("bob");
      await carry();
      for (const root of [a, b, c]) expect(namesIn(root)).toEqual(["team-lead", "alice"]);
    }));

  test("are no other host's to change or to dismiss", () =>
    withRoots(server(), "2026-02", async ({ a, b, team, carry }) => {
      await (await team(a)).updateMember("bob", { isActive: true });
      await carry();
      expect(entryOf(b, "bob")).not.toHaveProperty("isActive");
      await (await team(a)).leave("bob");
      await carry();
      expect(namesIn(a)).toEqual(["team-lead", "alice", "bob"]);
    }));

  test.each(revisions)("in %s leave the files when they tell a lead of elsewhere that they end", (revision) =>
    withRoots(server(), revision, async ({ a, b, team, carry }) => {
      const agree = (root: Root, from: string) => {
        const at = new Date().toISOString();
        const text = JSON.stringify({
          type: "shutdown_approved",
          requestId: `shutdown-1@${from}`,
          from,
          timestamp: at,
        });
        root.write("teams/crew/inboxes/team-lead.json", [{ from, text, timestamp: at, read: false }]);
      };
      agree(b, "bob");
      // Where the lead lives it takes its own members out.
      agree(a, "alice");
      await carry();
      await carry();
      for (const root of [a, b]) expect(namesIn(root)).toEqual(["team-lead", "alice"]);
      const again = { agentType: "a", model: "m", prompt: "go", joinedAt: Date.now() + 60_000, cwd: "/" };
      await (await team(b)).join({ name: "bob", ...again });
      const bridge = await b.open();
      await bridge.once();
      await bridge.close();
      expect(namesIn(b)).toContain("bob");
    }),
  );

  test("have one home: who takes a name that is taken is told, and is not published", () =>
    withRoots(server(), "2026-02", async ({ a, b, team }) => {
      const two = { agentType: "a", model: "m", prompt: "go", cwd: "/" };
      await (await team(a)).join({ name: "carol", ...two, joinedAt: 5 });
      await (await team(b)).join({ name: "carol", ...two, joinedAt: 6 });
      expect(await a.carry()).toEqual([]);
      expect(await b.carry()).toEqual(["carol lives on a already: rename the one here"]);
      await a.carry();
      expect(entryOf(a, "carol")).toMatchObject({ joinedAt: 5, prompt: "go" });
    }));

  test("of a lead change the team's fields, which nobody else can", () =>
    withRoots(server(), "2026-02", async ({ a, b, carry }) => {
      a.write("teams/crew/config.json", { ...configOf(a), description: "new", ours: { deep: 1 } });
      b.write("teams/crew/config.json", { ...configOf(b), description: "wrong" });
      await carry();
      expect(configOf(b)).toMatchObject({ description: "new", ours: { deep: 1 } });
      expect(configOf(a)["description"]).toBe("new");
    }));

  test("of two teams with one name are not mixed", () =>
    withRoots(server(), "2026-02", async ({ place, c }) => {
      const root = `${c.directory}/other`;
      const store = openFileStore({ root });
      await store.createTeam({ name: "crew", createdAt: 5, leadSessionId: "two", leadModel: "m", cwd: "/" });
      await store.close();
      await expect(openBridge({ url: place.url, root, host: "d", teams: ["crew"] })).rejects.toThrow(
        "is another team here",
      );
      await expect(openBridge({ url: place.url, root: `${root}2`, host: "a", teams: ["crew"] })).rejects.toThrow(
        "give --host another name",
      );
      await expect(openBridge({ url: place.url, root, host: "d", teams: ["none"] })).rejects.toThrow("create it first");
    }));

  test.each(revisions)("in %s are of no team any more once the files of the lead have none", (revision) =>
    withRoots(server(), revision, async ({ a, b, shared }) => {
      const bridge = await b.open();
      const ended = bridge.run(new AbortController().signal);
      await a.store.deleteTeam("crew", { evenIfActive: true });
      await expect(a.carry()).rejects.toMatchObject({ code: "team_unknown" });
      expect(await shared.listTeams()).toEqual([]);
      await ended;
      await bridge.close();
      expect(await b.store.listTeams()).toEqual([]);
    }),
  );

  test("are carried by one bridge of a host: one that began before ends", () =>
    withRoots(server(), "2026-02", async ({ a }) => {
      const first = await a.open();
      const second = await a.open();
      await expect(first.once()).rejects.toMatchObject({ code: "lease_lost" });
      await second.once();
      await Promise.all([first.close(), second.close()]);
    }));

  test("are carried by a later bridge of a host only once what the one before has begun is done", () =>
    withRoots(server(), "2026-02", async ({ place, a, team }) => {
      const alice = await (await team(a)).as("alice");
      await alice.send("bob", { text: "one" });
      await a.carry();
      const first = await a.open();
      const other = new Client({ connectionString: place.url });
      const isWaiting = async (words: string) =>
        (await place.run(`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%${words}%'`))
          .length > 0;
      const epochs = () => place.run("select epoch from bridge_host where host = 'a'");
      await other.connect();
      await other.query("begin; select from inbox where name = 'bob' for update");
      await alice.send("bob", { text: "two" });
      // It may hear that it is late before the second is open.
      const carrying = first.once().catch((error) => expect(error).toMatchObject({ code: "lease_lost" }));
      await untilSeen("the first at work", () => isWaiting("update inbox"));
      const before = await epochs();
      const opening = a.open();
      const hasBegun = async () => JSON.stringify(await epochs()) !== JSON.stringify(before);
      await untilSeen("the second", async () => (await isWaiting("insert into bridge_host")) || hasBegun());
      expect(await epochs()).toEqual(before);
      await other.end();
      const second = await opening;
      await carrying;
      expect((await second.once()).get("crew")).toEqual({ unsent: 0, problems: [] });
      await Promise.all([first.close(), second.close()]);
    }));
});
