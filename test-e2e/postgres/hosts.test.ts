import type { Store, Team } from "@troupe/store";
import { grantHost, migratePostgresStore, openPostgresStore, revokeHost } from "@troupe/store-postgres";
import { Client } from "pg";
import { expect, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import type { Place } from "./server.ts";
import { describeWithServer } from "./suite.ts";

const lead = { createdAt: 1_770_000_000_000, leadSessionId: "one", leadModel: "m", cwd: "/p" };
const mate = (name: string) => ({ name, agentType: "a", model: "m", prompt: "go", joinedAt: 1, cwd: "/p" });

/** A role of its own, and the team as it sees that. */
interface Host {
  readonly role: string;
  readonly url: string;
  readonly team: Team;
  readonly store: Store;
}

interface Scene {
  readonly place: Place;
  readonly team: Team;
  /** A host with these members, who are in the team already. */
  host(members: readonly string[]): Promise<Host>;
}

/** Runs statements as a program of the host's own does. */
async function ran(url: string, statements: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statements).finally(() => client.end());
}

await describeWithServer("the role of a host", (server) => {
  async function withCrew(work: (scene: Scene) => Promise<void>): Promise<void> {
    const place = await server().newPlace();
    await migratePostgresStore(place);
    const stores = [await openPostgresStore(place)];
    const team = (await stores[0]?.createTeam({ name: "crew", ...lead })) as Team;
    for (const name of ["alice", "bob", "carol"]) await team.join(mate(name));
    const host = async (members: readonly string[]) => {
      const { role, url } = await place.newRole();
      await grantHost({ url: place.url, role, team: "crew", members });
      const store = await openPostgresStore({ url });
      stores.push(store);
      return { role, url, store, team: (await store.openTeam("crew")) as Team };
    };
    try {
      await work({ place, team, host });
    } finally {
      for (const store of stores) await store.close();
    }
  }

  test("does all that its member does: mail, tasks, keys, history, where it runs, its leave", () =>
    withCrew(async ({ place, team, host }) => {
      const { team: seen, store, url } = await host(["alice"]);
      const [alice, boss] = [await seen.as("alice"), await team.as("team-lead")];
      const text = 'nul \0, half a pair \ud800, "quoted" \\u0000 and 😀';
      await boss.send("alice", { text });
      const mail = await alice.receive();
      const [message] = await mail.take();
      expect(message?.entry.text).toBe(text);
      await mail.acknowledge(new Set([message?.key ?? ""]));
      expect(await mail.take()).toEqual([]);
      await mail.release();
      for (const _ of [1, 2]) await alice.send("bob", { text }, undefined, { once: "one" });
      expect((await team.mail("bob").page()).value).toHaveLength(1);
      const draft = { subject: "s", description: text };
      const made = await alice.tasks.create(draft, { once: "one" });
      expect((await alice.tasks.create(draft, { once: "one" })).id).toBe(made.id);
      await team.tasks.create(draft, { owner: "bob", addBlockedBy: [made.id] });
      expect(await alice.tasks.claim(made.id, "alice")).toMatchObject({ outcome: "claimed" });
      await alice.tasks.complete(made.id);
      expect((await team.tasks.ready()).map(({ owner }) => owner)).toEqual([]);
      expect((await team.tasks.get("2")).value?.owner).toBe("bob");
      const next = await alice.tasks.create({ subject: "next", description: text });
      await seen.as("alice").then(({ tasks }) => tasks.update(next.id, { subject: "said anew" }));
      expect(await alice.tasks.claimNext("alice")).toMatchObject({
        subject: "said anew",
        description: text,
        owner: "alice",
      });
      await alice.tasks.release(next.id);
      // By a program of its own, which knows nothing of what a task is once it is taken.
      const words = `update task set doc = replace(doc::text, 'said anew', 'by hand')::json where id = ${next.id}`;
      await ran(url, words);
      expect(await team.tasks.claimNext("bob")).toMatchObject({ subject: "by hand", description: text, owner: "bob" });
      await store.savePlan("mine", "one");
      await store.savePlan("mine", text);
      expect(await store.readPlan("mine")).toBe(text);
      const events = await place.run("select by, doc ->> 'kind' as kind from event order by seq");
      expect(events).toContainEqual({ by: "alice", kind: "task" });
      expect(await seen.updateMember("alice", { isActive: true, tmuxPaneId: "%3", backendType: "tmux" })).toBe(true);
      expect(await seen.leave("alice")).toBe(true);
      expect((await team.config()).value?.members.map(({ name }) => name)).toEqual(["team-lead", "bob", "carol"]);
    }));

  test("loses a member that another host is granted: its mail, its lease and its tasks", () =>
    withCrew(async ({ place, team, host }) => {
      const [first, second] = [await host(["alice", "carol"]), await host(["bob"])];
      await (await team.as("team-lead")).send("alice", { text: "go" });
      const { id } = await team.tasks.create({ subject: "s", description: "" });
      const before = await first.team.as("alice");
      await before.tasks.claim(id, "alice");
      const lease = await before.receive();
      const [message] = await lease.take();
      await grantHost({ url: place.url, role: second.role, team: "crew", members: ["Alice"] });
      const late = [
        lease.acknowledge(new Set([message?.key ?? ""])),
        before.send("bob", { text: "late" }),
        before.tasks.complete(id),
        before.receive(),
        before.record({ n: 1 }),
      ];
      const codes = (await Promise.allSettled(late)).map((end) => end.status === "rejected" && end.reason.code);
      const refused = "store_refused";
      expect(codes).toEqual(["lease_lost", refused, refused, refused, refused]);
      await grantHost({ url: place.url, role: second.role, team: "crew", members: ["carol"] });
      await expect(before.record({ n: 1 })).rejects.toMatchObject({ code: refused });
      const after = await second.team.as("alice");
      const next = await after.receive();
      expect((await next.take()).map(({ key }) => key)).toEqual([message?.key]);
      await next.release();
      expect((await after.tasks.complete(id)).status).toBe("completed");
    }));

  test("keeps a member until what it writes for that is committed, and no longer", () =>
    withCrew(async ({ place, team, host }) => {
      const [first, second] = [await host(["alice", "carol"]), await host(["bob"])];
      const client = new Client({ connectionString: first.url });
      await client.connect();
      try {
        const send = `with next as (update inbox set next_seq = next_seq + 1 where name = 'bob' returning team, next_seq - 1 as seq)
          insert into message (team, name, seq, doc, content_key)
          select team, 'bob', seq, '{"from":"alice","text":"x","timestamp":"t"}', 'k' from next`;
        await (await team.as("team-lead")).send("bob", { text: "first" });
        await client.query(`begin; ${send}`);
        const granting = grantHost({ url: place.url, role: second.role, team: "crew", members: ["alice"] });
        const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%host_grant%'";
        await untilSeen("the grant that waits", async () => (await place.run(waiting)).length > 0);
        await client.query("commit");
        await granting;
        await expect(client.query(send)).rejects.toThrow("alice");
      } finally {
        await client.end();
      }
    }));

  test("dates nothing: watchers and readers of the history go by the database", () =>
    withCrew(async ({ place, team, host }) => {
      const { url } = await host(["alice"]);
      await (await team.as("bob")).send("alice", { text: "hello" });
      await ran(
        url,
        `update history set next_seq = next_seq + 1; update inbox set changed = '3';
         insert into event (team, seq, at, by, doc) select team, next_seq - 1, 'epoch', 'alice', '{}' from history`,
      );
      expect(await place.run("select by from event where at > now() - interval '1 hour'")).toContainEqual({
        by: "alice",
      });
      expect(await place.run("select from inbox where changed = '3'")).toEqual([]);
    }));

  test("sees and does nothing once what it was granted is revoked", () =>
    withCrew(async ({ place, host }) => {
      const { role, url, store } = await host(["alice", "bob"]);
      const alice = await ((await store.openTeam("crew")) as Team).as("alice");
      const all = { url: place.url, role, team: "crew" };
      await revokeHost({ ...all, members: ["alice"] });
      expect(await store.listTeams()).toEqual(["crew"]);
      await revokeHost({ ...all, members: ["bob"] });
      await expect(alice.record({ n: 1 })).rejects.toMatchObject({ code: "store_refused" });
      await expect(store.listTeams()).rejects.toMatchObject({ code: "store_refused" });
      await expect(openPostgresStore({ url })).rejects.toThrow("grantHost");
      await place.run(`drop role ${role}`);
    }));

  test("loses a member that leaves: who joins under its name later is not of that host", () =>
    withCrew(async ({ place, team, host }) => {
      const { team: seen } = await host(["alice", "carol"]);
      const before = await seen.as("alice");
      await team.leave("alice");
      await team.join(mate("alice"));
      expect(await place.run("select member from host_grant")).toEqual([{ member: "carol" }]);
      await expect(before.send("bob", { text: "late" })).rejects.toMatchObject({ code: "store_refused" });
      await seen.leave("carol");
      expect(await place.run("select member from host_grant")).toEqual([]);
    }));

  test("is not granted anything where it could create tables of its own beside those of the store", () =>
    withCrew(async ({ place, host }) => {
      await place.run("do $$ begin execute 'grant create on schema ' || current_schema() || ' to public'; end $$");
      await expect(host(["alice"])).rejects.toThrow("revoke create on schema place_");
    }));

  test.each([
    ["one that is not there", "nobody", ["alice"], "create it first"],
    ["the owner of the tables", "troupe", ["alice"], "more than a host may be"],
    ["one that can become the owner", "insider", ["alice"], "is a member of troupe"],
    ["one that reads all data", "reader", ["alice"], "is a member of pg_read_all_data"],
    ["one that is to lead", "plain", ["team-lead"], "leads crew"],
    ["one for somebody outside the team", "plain", ["mallory"], "let it join first"],
  ])("is not that of %s", (_, role, members, said) =>
    withCrew(async ({ place }) => {
      await place.run(`do $$ begin
        if not exists (select from pg_roles where rolname = 'plain') then
          create role plain login; create role insider login in role troupe; create role reader login in role pg_read_all_data;
        end if;
      end $$`);
      await expect(grantHost({ url: place.url, role, team: "crew", members })).rejects.toThrow(said);
    }),
  );
});
