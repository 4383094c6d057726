import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { codecFor, type Task } from "@troupe/protocol";
import { readyAmong } from "@troupe/protocol/rules";
import { isUnavailable, type Store, type Team } from "@troupe/store";
import { checkPostgresStore, migratePostgresStore, openPostgresStore } from "@troupe/store-postgres";
import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { openNetwork } from "./network.ts";
import type { Place } from "./server.ts";
import { describeWithServer } from "./suite.ts";

const lead = { createdAt: 1_770_000_000_000, leadSessionId: "one", leadModel: "m", cwd: "/p" };
const mate = (name: string) => ({ name, agentType: "a", model: "m", prompt: "go", joinedAt: 1, cwd: "/p" });

await describeWithServer("a store on PostgreSQL", (server) => {
  /** An empty place with its tables, and handles that are closed in the end. */
  async function withPlace(work: (place: Place, open: () => Promise<Store>) => Promise<void>): Promise<void> {
    const place = await server().newPlace();
    await migratePostgresStore(place);
    const stores: Store[] = [];
    const open = async () => {
      const store = await openPostgresStore(place);
      stores.push(store);
      return store;
    };
    try {
      await work(place, open);
    } finally {
      for (const store of stores) await store.close();
    }
  }

  async function crewIn(store: Store): Promise<Team> {
    const team = await store.createTeam({ name: "crew", ...lead });
    for (const name of ["alice", "bob"]) await team.join(mate(name));
    return team;
  }

  describe("its tables", () => {
    test("are created once by any number of processes, and a second time nothing is done", async () => {
      const place = await server().newPlace();
      const tries = await Promise.all([1, 2, 3].map(() => migratePostgresStore(place)));
      const { to } = tries[0] ?? { to: 0 };
      expect(tries.map(({ from }) => from).sort()).toEqual([0, to, to]);
      await (await openPostgresStore(place)).close();
    });

    test("are asked for where they are missing, and left alone where they are of a later Troupe", async () => {
      const place = await server().newPlace();
      await expect(openPostgresStore(place)).rejects.toThrow("run migratePostgresStore");
      await migratePostgresStore(place);
      await place.run("insert into migration (number) values (99)");
      await expect(openPostgresStore(place)).rejects.toThrow("update Troupe");
      await expect(migratePostgresStore(place)).rejects.toThrow("update Troupe");
    });
  });

  test("every character of a message and a task comes back", () =>
    withPlace(async (_, open) => {
      const [store, other] = [await open(), await open()];
      const team = await crewIn(store);
      const text = 'nul \0, half a pair \ud800, "quoted" \\ and 你好 😀';
      await (await team.as("bob")).send("alice", { text });
      const task = await team.tasks.create({ subject: "s", description: text, metadata: { b: text, a: [1e21, 0.1] } });
      await store.savePlan("plan", text);
      const seen = await other.openTeam("crew");
      expect((await seen?.mail("alice").page())?.value?.[0]?.entry.text).toBe(text);
      expect((await seen?.tasks.get(task.id))?.value).toEqual(task);
      expect(await other.readPlan("plan")).toBe(text);
    }));

  test("a field that Troupe does not know survives every change, in its place", () =>
    withPlace(async ({ run }, open) => {
      const team = await crewIn(await open());
      const { id } = await team.tasks.create({ subject: "s", description: "" });
      await run(
        `update task set doc = '{"zebra":{"b":1,"a":2},"id":"${id}","subject":"s","description":"","status":"pending","blocks":[],"blockedBy":[]}'`,
      );
      await team.tasks.update(id, { subject: "t" });
      await team.tasks.claim(id, "alice");
      const [{ doc }] = (await run("select doc::text from task")) as [{ doc: string }];
      expect(Object.keys(JSON.parse(doc))[0]).toBe("zebra");
      expect(doc.replaceAll(/\s/g, "")).toContain('{"b":1,"a":2}');
      expect((await team.tasks.get(id)).value).toMatchObject({ subject: "t", owner: "alice" });
    }));

  test("a commit whose answer is lost says so, and its repetition under a key adds nothing", () =>
    withPlace(async (place, open) => {
      const team = await crewIn(await open());
      const network = await openNetwork(place.url);
      const store = await openPostgresStore({ url: network.url });
      try {
        const bob = await (await store.openTeam("crew"))?.as("bob");
        const send = () => bob?.send("alice", { text: "once" }, undefined, { once: "one" });
        network.loseNextCommit();
        const error = await send()?.catch((reason: unknown) => reason);
        expect(error).toMatchObject({ code: "store_unavailable", details: { isAmbiguous: true } });
        expect(isUnavailable(error)).toBe(true);
        await send();
        expect((await team.mail("alice").page()).value).toHaveLength(1);
      } finally {
        await store.close();
        await network.close();
      }
    }));

  test("the leases of a process are renewed together, and an inbox that is written to holds up no other", () =>
    withPlace(async ({ url, run }, open) => {
      const team = await crewIn(await open());
      const leases = await Promise.all(["alice", "bob"].map(async (name) => (await team.as(name)).receive()));
      const writer = new Client({ connectionString: url });
      await writer.connect();
      await run("update inbox set lease_until = clock_timestamp() + interval '6 seconds'");
      await writer.query("begin");
      await writer.query("select from inbox where name = 'alice' for update");
      const renewed = async (name: string) =>
        (
          await run(
            `select from inbox where name = '${name}' and lease_until > clock_timestamp() + interval '6 seconds'`,
          )
        ).length > 0;
      await untilSeen("the renewal of bob's lease", () => renewed("bob"));
      await writer.query("commit");
      await untilSeen("the renewal of alice's lease", () => renewed("alice"));
      await writer.end();
      for (const lease of leases) await lease.release();
    }));

  test("a server that ends a connection in the moment that it is made is one that cannot be reached", async () => {
    const part = (type: string, text: string, ...bytes: number[]) => {
      const body = Buffer.concat([Buffer.from(bytes), Buffer.from(text)]);
      const size = Buffer.alloc(4);
      size.writeInt32BE(body.length + 4);
      return Buffer.concat([Buffer.from(type), size, body]);
    };
    const fatal = part("E", "SFATAL\0C57P01\0Mterminating connection\0\0");
    const ending = createServer((client) =>
      client.once("data", () => client.end(Buffer.concat([part("R", "", 0, 0, 0, 0), part("Z", "I"), fatal]))),
    ).listen(0, "127.0.0.1");
    await once(ending, "listening");
    const { port } = ending.address() as AddressInfo;
    await expect(migratePostgresStore({ url: `postgres://u@127.0.0.1:${port}/d` })).rejects.toMatchObject({
      code: "store_unavailable",
    });
    await new Promise((resolve) => ending.close(resolve));
  });

  test("a change of a team is told to those who listen, and a look at it is not", () =>
    withPlace(async ({ url, run }, open) => {
      const first = await open();
      await crewIn(first);
      // What it has to tell is told when it is closed.
      await first.close();
      const other = await open();
      const team = await other.openTeam("crew");
      const [{ id }] = (await run("select id from team")) as [{ id: string }];
      const listener = new Client({ connectionString: url });
      const told: string[] = [];
      listener.on("notification", ({ payload = "" }) => told.push(...payload.split(",")));
      await listener.connect();
      try {
        await listener.query("listen troupe");
        await team?.tasks.list();
        await other.onlook().all();
        await run("notify troupe, 'looked'");
        await untilSeen("what was told after the looks", () => told.includes("looked"));
        expect(told).toEqual(["looked"]);
        await team?.tasks.create({ subject: "s", description: "" });
        await untilSeen("the news of a new task", () => told.includes(id));
      } finally {
        await listener.end();
      }
    }));

  test("what was acknowledged outlives a crash of the server, and a watch goes on after it", () =>
    withPlace(async (_, open) => {
      const [store, other] = [await open(), await open()];
      const team = await crewIn(store);
      const bob = await (await other.openTeam("crew"))?.as("bob");
      const over = new AbortController();
      const seen: string[] = [];
      const watching = (async () => {
        for await (const change of team.watch(over.signal)) seen.push(JSON.stringify(change));
      })();
      const kept: string[] = [];
      let isDown = false;
      const sending = (async () => {
        for (let n = 1; n <= 400 || !isDown; n += 1) {
          try {
            await bob?.send("alice", { text: `${n}` }, { at: new Date(n).toISOString(), id: crypto.randomUUID() });
            kept.push(`${n}`);
          } catch (error) {
            expect(isUnavailable(error)).toBe(true);
            isDown = true;
          }
          if (isDown && kept.length > 0 && n > 400) break;
        }
      })();
      await untilSeen("some messages", () => kept.length > 20);
      await server().crash();
      await sending;
      const texts = new Set((await team.mail("alice").page()).value?.map(({ entry }) => entry.text));
      expect(kept.filter((text) => !texts.has(text))).toEqual([]);
      await untilSeen("a connection", () =>
        bob?.tasks.create({ subject: "after", description: "" }).then(
          () => true,
          () => false,
        ),
      );
      await untilSeen("the change after the crash", () => seen.some((change) => change.includes('"task"')));
      over.abort();
      await watching;
    }));

  test("mail that nobody consumes is received however short the time that is given", () =>
    withPlace(async (_, open) => {
      const alice = await (await crewIn(await open())).as("alice");
      await (await alice.receive({ deadlineMs: 1 })).release();
    }));

  test("who takes the next task is a member now, whatever its process has seen", () =>
    withPlace(async (_, open) => {
      const [here, there] = [await crewIn(await open()), await (await open()).openTeam("crew")];
      for (const subject of ["one", "two", "three"]) await here.tasks.create({ subject, description: "" });
      expect(await here.tasks.claimNext("bob")).toMatchObject({ id: "1", owner: "bob" });
      await there?.leave("bob");
      await expect(here.tasks.claimNext("bob")).rejects.toMatchObject({ code: "member_unknown" });
      await there?.join(mate("carol"));
      expect(await here.tasks.claimNext("carol")).toMatchObject({ id: "2", owner: "carol", status: "in_progress" });
      await there?.leave("carol");
      await there?.join(mate("dave"));
      expect(await here.tasks.claimNext("alice")).toMatchObject({ id: "3", owner: "alice" });
      expect(await here.tasks.claimNext("alice")).toBe(undefined);
    }));

  test("which tasks are ready is right after any changes by several at once", () =>
    withPlace(async (place, open) => {
      const stores = [await open(), await open(), await open()];
      const [first] = stores;
      for (const revision of ["2026-02", "2026-11"] as const) {
        await first?.createTeam({ name: revision, ...lead, leadSessionId: revision, revision });
        const teams = await Promise.all(stores.map((store) => store.openTeam(revision)));
        const ids: string[] = [];
        for (let n = 0; n < 12; n += 1)
          ids.push((await teams[0]?.tasks.create({ subject: "s", description: "" }))?.id ?? "");
        let seed = 7;
        const next = (below: number) => {
          seed = (seed * 48_271) % 2_147_483_647;
          return seed % below;
        };
        const change = (team: Team | undefined): Promise<unknown> | undefined => {
          const [id = "", other = ""] = [ids[next(12)], ids[next(12)]];
          const tasks = team?.tasks;
          const kinds = [
            () => tasks?.update(id, { addBlocks: [other] }),
            () => tasks?.update(id, { removeBlockedBy: [other] }),
            () => tasks?.complete(id),
            () => tasks?.update(id, { status: "pending", owner: undefined }),
            () => tasks?.claimNext("team-lead"),
            () => tasks?.claim(id, "team-lead"),
            () => tasks?.release(id),
            () => tasks?.create({ subject: "s", description: "" }, { addBlockedBy: [id] }),
          ];
          return kinds[next(kinds.length)]?.();
        };
        const refused = new Set(["task_cyclic", "task_blocked"]);
        await Promise.all(
          teams.map(async (team) => {
            for (let n = 0; n < 60; n += 1)
              await change(team)?.catch((error) => {
                if (!refused.has(error.code)) throw error;
              });
          }),
        );
        expect(await teams[0]?.tasks.ready()).toEqual(readyBy((await teams[0]?.tasks.list())?.tasks ?? []));
      }
      expect((await checkPostgresStore(place)).findings).toEqual([]);
      expect(await place.run("select id from task where is_ready and as_taken is null")).toEqual([]);
    }));
});

/** The same by the rules of the protocol, from all tasks. */
function readyBy(tasks: readonly Task[]): Task[] {
  const codec = codecFor("2026-11");
  const files = tasks.map((task) => ({ id: task.id, read: codec.readTask(JSON.stringify(task), task.id) }));
  return readyAmong(files).map(({ task }) => task);
}
