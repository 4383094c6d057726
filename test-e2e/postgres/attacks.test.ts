import type { Store } from "@troupe/store";
import { grantHost, migratePostgresStore, openPostgresStore } from "@troupe/store-postgres";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Attacker, attacks } from "./attacks.ts";
import type { Place } from "./server.ts";
import { describeWithServer } from "./suite.ts";

const lead = { createdAt: 1_770_000_000_000, leadModel: "m", cwd: "/p", revision: "2026-11" } as const;
const mate = (name: string) => ({ name, agentType: "a", model: "m", prompt: "go", joinedAt: 1, cwd: "/p" });
const tables =
  "migration host_grant team task_list task task_edge inbox message history event kept_result plan host spawn_request spawn_try".split(
    " ",
  );

/** Asks for everything that a place holds. */
const everything = `select ${tables
  .map(
    (name) =>
      `(select json_agg(row order by row) from
         (select (to_jsonb(t) - '{changed,changed_at}'::text[])::text as row from ${name} t) as rows) as ${name}`,
  )
  .join()}`;

/** Two teams with members on two hosts and one on none, and something of each to take. */
async function furnish(place: Place, store: Store): Promise<void> {
  const crew = await store.createTeam({ name: "crew", ...lead, leadSessionId: "crew" });
  const yard = await store.createTeam({ name: "yard", ...lead, leadSessionId: "yard" });
  for (const name of ["alice", "bob"]) await crew.join({ ...mate(name), planModeRequired: true });
  await yard.join(mate("carol"));
  const [boss, bob, alice] = [await crew.as("team-lead"), await crew.as("bob"), await crew.as("alice")];
  await boss.send("bob", { text: "a secret" }, undefined, { once: "one" });
  for (const text of ["read", "unread"]) await bob.send("alice", { text });
  await bob.send("team-lead", { text: "done" });
  await bob.send("bob", { text: "read" });
  for (const one of [alice, bob]) {
    const lease = await one.receive();
    await lease.acknowledge(new Set([(await lease.take())[0]?.key ?? ""]));
    await lease.release();
  }
  await place.run("update message set state = 'read' where state = 'gone'");
  for (const subject of ["free", "of bob", "waits"]) await crew.tasks.create({ subject, description: "" });
  await bob.tasks.claim("2", "bob");
  await crew.tasks.update("3", { addBlockedBy: ["2"] });
  await (await yard.as("team-lead")).send("carol", { text: "another secret" });
  await yard.tasks.create({ subject: "secret", description: "" });
  await (await yard.as("carol")).record({ n: 1 });
  await boss.record({ n: 1 });
  await store.savePlan("theirs", "First the grammar.");
}

/** Runs statements in one transaction, and gives the rows of the last one if there are any. */
async function run({ url, ids }: Attacker, deed: string): Promise<object | undefined> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const text = deed.replace(/:(crew|yard|list|yardList)\b/g, (_, name: keyof typeof ids) => ids[name]);
    const results = [await client.query(`begin; ${text}`)].flat();
    await client.query("commit");
    const rows = results.at(-1)?.rows ?? [];
    return rows.length > 0 ? rows : undefined;
  } finally {
    await client.end();
  }
}

/** Nothing, for what is refused as it should be. */
function refusalOf(error: unknown): undefined {
  const { code } = error as { readonly code?: unknown };
  if (code !== "42501" && code !== "store_refused") throw error;
}

await describeWithServer("a role that has one member", (server) => {
  let place: Place;
  let owner: Store;
  let onlooker: Client;
  let known: readonly object[];
  let attacker: Attacker;

  beforeAll(async () => {
    place = await server().newPlace();
    await migratePostgresStore(place);
    owner = await openPostgresStore(place);
    await furnish(place, owner);
    for (const member of ["alice", "bob"]) {
      const { role, url } = await place.newRole();
      await grantHost({ url: place.url, role, team: "crew", members: [member] });
      if (attacker) continue;
      const [ids] = (await place.run(
        `select c.id as crew, y.id as yard, c.list, y.list as "yardList" from team c, team y
         where c.name = 'crew' and y.name = 'yard'`,
      )) as [Attacker["ids"]];
      const store = await openPostgresStore({ url });
      const crew = await store.openTeam("crew");
      if (!crew) throw new Error("the role sees no team: it has a member of it");
      attacker = { store, crew, url, role, ids };
    }
    onlooker = new Client({ connectionString: place.url });
    await onlooker.connect();
    known = (await onlooker.query(everything)).rows;
  });
  afterAll(async () => {
    await onlooker?.end();
    await attacker?.store.close();
    await owner?.close();
  });

  test.for(attacks)("gets nothing where it %s", async ([, deed]) => {
    const loot = await (typeof deed === "string" ? run(attacker, deed) : deed(attacker)).catch(refusalOf);
    expect(loot).toBe(undefined);
    const [before, { rows }] = [known, await onlooker.query(everything)];
    known = rows;
    expect(known).toEqual(before);
  });
});
