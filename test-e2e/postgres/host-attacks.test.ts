import { Client } from "pg";
import { expect, test } from "vitest";
import { minute, withCrew } from "./host-scene.ts";
import { describeWithServer } from "./suite.ts";

// Alice runs on the other host, by the start :theirs; the attacker has had bob by :old, and has him
// by a later start.
const alicesRequest = "(select id from spawn_request where member = 'alice')";
const attacks: readonly (readonly [name: string, statements: string])[] = [
  ["takes what another runs", "update spawn_request set role = session_user"],
  ["reads what another was asked for", "select spec from spawn_request where member = 'alice'"],
  [
    "gives itself the member of another",
    "insert into host_grant (team, member, role) values (1, 'alice', session_user)",
  ],
  ["reads the starts of all", "select epoch from spawn_try"],
  ["asks for a teammate", "insert into spawn_request (team, member, spec, wanted) values (1, 'mallory', '{}', '{}')"],
  ["ends the lease of another", "update host set lease_until = now() where role <> session_user"],
  ["makes its own lease endless by itself", "update host set lease_until = 'infinity'"],
  ["gives itself labels", "update host set given = '{gpu}'"],
  ["gives itself labels when it registers", "select from host_enter(9, '{gpu,host:host_x}', 60000) where false"],
  ["admits itself under another name", "insert into host (role) values ('mallory')"],
  ["reports the start of another", "select host_report(:theirs, 'ended', 'x', 'x', null)"],
  ["gives back the start of another", "select host_report(:theirs, 'wanted', 'x', 'x', null)"],
  ["renews with the epoch of a process before it", "select host_renew(0, 60000)"],
  ["takes with the epoch of a process to come", "select host_take(99)"],
  ["takes the mail of another's start", "select host_free(:theirs)"],
  [
    "calls itself the start of another",
    "set troupe.epoch = :theirs; insert into plan (name, content) values ('p', '1')",
  ],
  [
    "calls itself no start",
    `set troupe.epoch = '';
     with next as (update history set next_seq = next_seq + 1 where team = 1 returning next_seq - 1 as n)
     insert into event (team, seq, at, by, doc) select 1, n, now(), 'bob', '{}' from next`,
  ],
  ["calls itself a start that never was", "set troupe.epoch = 77; insert into plan (name, content) values ('p', '1')"],
  [
    "calls itself by its own new start from an old one",
    "set troupe.epoch = :old; insert into plan (name, content) values ('p', '1')",
  ],
  [
    "sends by the function for it from an old start",
    `set troupe.epoch = :old; select seq from append_as_host(1, 'bob', null, '{"from":"bob"}', 'k', 'm', 'bob', '{}')`,
  ],
  [
    "sends by the function for it as no start",
    `set troupe.epoch = ''; select seq from append_as_host(1, 'bob', null, '{"from":"bob"}', 'k', 'm', 'bob', '{}')`,
  ],
  ["becomes another role", "set role :other; select host_leave(1)"],
  ["removes the fence", "alter table plan disable trigger fence"],
  [
    "changes a function of hosts",
    "create or replace function session_epoch() returns bigint language sql as 'select 1'",
  ],
  ["writes where no trigger fires", "set session_replication_role = replica"],
  [`deletes what was asked`, `delete from spawn_request where id = ${alicesRequest}`],
];

await describeWithServer("a host that is hostile", (server) => {
  test("gets nothing of another host by any of these ways", () =>
    withCrew(server, async ({ ask, host, place }) => {
      const [victim, attacker] = [await host("gpu"), await host()];
      await victim.desk.enter(minute);
      await attacker.desk.enter(minute);
      await ask("alice", "gpu");
      await ask("bob", `host:${attacker.role}`);
      const theirs = (await victim.desk.take())?.epoch ?? "";
      const old = (await attacker.desk.take())?.epoch ?? "";
      await attacker.desk.report(old, { state: "wanted" });
      await attacker.desk.take();
      const everything = `select json_build_object('host', (select json_agg(h order by role) from host h),
        'asked', (select json_agg(r order by id) from spawn_request r), 'grants', (select json_agg(g order by member) from host_grant g),
        'tries', (select json_agg(s order by epoch) from spawn_try s), 'plans', (select count(*) from plan),
        'inboxes', (select json_agg(i order by name) from inbox i), 'events', (select json_agg(e order by seq) from event e)) as all`;
      const before = await place.run(everything);
      for (const [name, statements] of attacks) {
        const client = new Client({ connectionString: attacker.url });
        await client.connect();
        const text = statements.replaceAll(":theirs", theirs).replaceAll(":old", old).replaceAll(":other", victim.role);
        const loot = await client.query(text).then(
          (results) => [results].flat().at(-1)?.rows ?? [],
          (error: { readonly code: string }) => (/^(42501|TR00[12])$/.test(error.code) ? [] : [error]),
        );
        await client.end();
        expect([name, loot.filter((row) => Object.values(row).some((value) => value !== ""))]).toEqual([name, []]);
        expect([name, await place.run(everything)]).toEqual([name, before]);
      }
    }));
});
