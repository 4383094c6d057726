import { revisions } from "@troupe/protocol";
import { Client } from "pg";
import { expect, test } from "vitest";
import { untilSeen } from "../../../scripts/awaited.ts";
import { describeWithServer } from "../suite.ts";
import { known, type Root, withRoots } from "./roots.ts";

interface Entry {
  readonly from: string;
  readonly text: string;
  readonly read?: boolean;
}

const inboxOf = (root: Root, name: string) => root.read(`teams/crew/inboxes/${name}.json`) as readonly Entry[];
const textsOf = (root: Root, name: string) => inboxOf(root, name).map(({ text }) => text);
const write = (root: Root, name: string, entries: readonly object[]) =>
  root.write(`teams/crew/inboxes/${name}.json`, entries);

/** As a client writes it that knows nothing of Troupe. */
const entry = (from: string, text: string, more: object = {}) => ({
  from,
  text,
  timestamp: "2026-11-19T10:00:00.000Z",
  read: false,
  ...more,
});

await describeWithServer("mail over a bridge", (server) => {
  test.each(revisions)("in %s reaches the files of its member once, in order, as it was written", (revision) =>
    withRoots(server(), revision, async ({ a, b, c, carry, shared }) => {
      write(a, "bob", [entry("alice", "one", { mood: "fine" }), entry("team-lead", "two"), entry("alice", "three")]);
      await carry();
      await carry();
      expect(textsOf(b, "bob")).toEqual(["one", "two", "three"]);
      expect(inboxOf(b, "bob")[0]).toEqual(entry("alice", "one", { mood: "fine" }));
      expect(textsOf(a, "bob")).toEqual(["one", "two", "three"]);
      expect(() => inboxOf(c, "bob")).toThrow("ENOENT");
      const page = await (await shared.openTeam("crew"))?.mail("bob").page();
      expect(page?.value?.map(({ entry: { text } }) => text)).toEqual(["one", "two", "three"]);
    }),
  );

  test("that waits as a bridge begins is carried, also before the bridge could look at the members", () =>
    withRoots(server(), "2026-02", async ({ place, a, shared }) => {
      write(a, "bob", [entry("alice", "one")]);
      const bridge = await a.open();
      const other = new Client({ connectionString: place.url });
      const over = new AbortController();
      await other.connect();
      await other.query("begin; select from team for no key update");
      const running = bridge.run(over.signal);
      try {
        const team = await shared.openTeam("crew");
        await untilSeen(
          "the message in the database",
          async () => (await team?.mail("bob").page())?.value?.length === 1,
        );
      } finally {
        await other.end();
        over.abort();
        await running;
        await bridge.close();
      }
    }));

  test("that two send at once in equal words arrives as often as it was sent", () =>
    withRoots(server(), "2026-02", async ({ a, b, carry }) => {
      write(a, "bob", [entry("alice", "same"), entry("alice", "same")]);
      await carry();
      expect(textsOf(b, "bob")).toEqual(["same", "same"]);
      write(a, "bob", [...inboxOf(a, "bob"), entry("alice", "same")]);
      await carry();
      expect(textsOf(b, "bob")).toEqual(["same", "same", "same"]);
    }));

  test("between two members of one host stands in the database and comes back to nobody", () =>
    withRoots(server(), "2026-11", async ({ a, carry, shared }) => {
      write(a, "alice", [entry("team-lead", "here")]);
      await a.carry();
      expect(textsOf(a, "alice")).toEqual(["here"]);
      write(a, "alice", []);
      await carry();
      expect(inboxOf(a, "alice")).toEqual([]);
      expect((await (await shared.openTeam("crew"))?.mail("alice").page())?.value).toEqual([]);
    }));

  test.each(revisions)("in %s is taken where its member lives, and nowhere else", (revision) =>
    withRoots(server(), revision, async ({ a, b, carry, team, shared }) => {
      const bob = await (await team(b)).as("bob");
      write(a, "bob", [entry("alice", "one"), entry("alice", "two")]);
      await carry();
      const lease = await bob.receive();
      const [first] = await lease.take();
      await lease.acknowledge(new Set([first?.key ?? ""]));
      await lease.release();
      await carry();
      const left = (entries: readonly Entry[]) => entries.filter(({ read }) => read !== true).map(({ text }) => text);
      expect(left(inboxOf(a, "bob"))).toEqual(["two"]);
      const page = await (await shared.openTeam("crew"))?.mail("bob").page();
      expect(left((page?.value ?? []).map(({ entry: one }) => one as Entry))).toEqual(["two"]);

      write(
        a,
        "bob",
        inboxOf(a, "bob").map((one) => ({ ...one, read: true })),
      );
      await carry();
      expect(left(inboxOf(b, "bob"))).toEqual(["two"]);
    }),
  );

  test("of members that use the database themselves comes to the files, and theirs goes there", () =>
    withRoots(server(), "2026-02", async ({ a, shared, carry }) => {
      const team = await shared.openTeam("crew");
      await team?.join({ name: "dora", agentType: "a", model: "m", prompt: "go", joinedAt: 2, cwd: "/" });
      await (await team?.as("dora"))?.send("alice", { text: "from afar" });
      await carry();
      expect(textsOf(a, "alice")).toEqual(["from afar"]);
      write(a, "dora", [entry("alice", "to you")]);
      await carry();
      expect((await team?.mail("dora").page())?.value?.map(({ entry: one }) => one.text)).toEqual(["to you"]);
    }));

  test("in the name of a member that lives elsewhere, or of nobody, stays where it is", () =>
    withRoots(server(), "2026-02", async ({ a, b, carry, shared }) => {
      write(a, "bob", [entry("bob", "forged"), entry("system", "of nobody"), entry("alice", "true")]);
      await carry();
      expect(textsOf(b, "bob")).toEqual(["true"]);
      expect((await (await shared.openTeam("crew"))?.mail("bob").page())?.value).toHaveLength(1);
    }));

  test("whose bridge died between bringing it and noting that is not brought again", () =>
    withRoots(server(), "2026-02", async ({ a, b, carry }) => {
      write(a, "bob", [entry("alice", "one"), entry("alice", "two")]);
      await carry();
      const slot = known(b).find((path) => path.endsWith("inbox-bob.json")) ?? "";
      expect(b.read(slot)).toEqual({ upTo: 2 });
      b.write(slot, { upTo: 0, begun: 2 });
      write(b, "bob", inboxOf(b, "bob").slice(0, 1));
      await b.carry();
      expect(textsOf(b, "bob")).toEqual(["one", "two"]);
    }));
});
