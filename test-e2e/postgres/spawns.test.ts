import { dismissHost, grantHost, lookAtHosts, openHostDesk, openPostgresStore } from "@troupe/store-postgres";
import { Client } from "pg";
import { expect, test } from "vitest";
import { awaited, untilSeen } from "../../scripts/awaited.ts";
import { minute, withCrew } from "./host-scene.ts";
import { describeWithServer } from "./suite.ts";

await describeWithServer("hosts and what they are asked for", (server) => {
  test("a host that enters again while it asks is not taken for another process of itself", () =>
    withCrew(server, async ({ host }) => {
      const { desk } = await host();
      await desk.enter(minute);
      for (let n = 0; n < 20; n += 1)
        await Promise.all([desk.take(), desk.enter(minute), desk.take(), desk.renew(minute.leaseMs)]);
    }));

  test("a request goes to one host that has a free slot and all labels, the oldest first, and its teammate acts there", () =>
    withCrew(server, async ({ ask, host, seen, store, place }) => {
      const [plain, strong] = [await host(), await host("gpu")];
      await plain.desk.enter({ ...minute, slots: 1 });
      await strong.desk.enter({ ...minute, labels: ["backend:tmux", "gpu-2"] });
      const ids = [await ask("alice", "gpu"), await ask("bob")];
      const [first, second] = await Promise.all([plain.desk.take(), plain.desk.take()]);
      expect([first?.member ?? second?.member, first && second]).toEqual(["bob", undefined]);
      const taken = await strong.desk.take();
      expect(await strong.desk.take()).toBe(undefined);
      expect(taken).toMatchObject({ id: ids[0], member: "alice", team: "crew", spec: { prompt: "go" }, starts: 1 });
      const other = { team: "crew", member: "bob", spec: { prompt: "something else" }, wanted: [] };
      await expect(store.spawns.ask(other)).rejects.toMatchObject({ code: "name_taken" });
      const alice = await (await seen(strong, taken?.epoch)).as("alice");
      expect((await alice.send("bob", { text: "here" })).entry.from).toBe("alice");
      await strong.desk.report(taken?.epoch ?? "", { state: "running" });
      expect(await store.spawns.look(ids[0] ?? "")).toMatchObject({
        state: "running",
        host: strong.role,
        isHeard: true,
      });
      const { hosts, spawns } = await lookAtHosts(place);
      const labels = [`host:${strong.role}`, "backend:tmux", "gpu"];
      expect(hosts.find(({ role }) => role === strong.role)?.labels).toEqual(expect.arrayContaining(labels));
      expect(hosts.flatMap((one) => one.labels)).not.toContain("gpu-2");
      expect(spawns.map(({ member, state }) => [member, state])).toEqual([
        ["alice", "running"],
        ["bob", "taken"],
      ]);
    }));

  test("what is asked for while the host waits is known to it at once, and so is its end to who asked", () =>
    withCrew(server, async ({ ask, host, store }) => {
      const { desk } = await host();
      await desk.enter(minute);
      const [there, here] = [desk.listen(), store.spawns.listen()];
      await there.next();
      const id = await ask("alice");
      await there.next();
      const taken = await desk.take();
      await store.spawns.stop(id, 100);
      expect((await desk.mine()).map(({ stopMs }) => stopMs)).toEqual([100]);
      await desk.report(taken?.epoch ?? "", {
        state: "ended",
        reason: "shutdown",
        detail: "as asked",
        result: { n: 1 },
      });
      while ((await store.spawns.look(id))?.state !== "ended") await here.next();
      expect(await store.spawns.look(id)).toMatchObject({ reason: "shutdown", detail: "as asked", result: { n: 1 } });
      expect(await store.spawns.open("crew")).toEqual([]);
      expect(await store.spawns.look(await ask("alice"))).toMatchObject({ state: "wanted", starts: 0 });
    }));

  test("a host whose lease has ended loses what it ran to the next, and nothing of the earlier start is written from then on", () =>
    withCrew(server, async ({ ask, host, seen, team, store, place }) => {
      const [first, second] = [await host(), await host()];
      await first.desk.enter(minute);
      await second.desk.enter(minute);
      const id = await ask("alice");
      const start = (await first.desk.take())?.epoch;
      await first.desk.report(start ?? "", { state: "running", result: { branch: "b" } });
      const late = await seen(first, start);
      const before = await late.as("alice");
      await (await team.as("team-lead")).send("alice", { text: "go" });
      const made = await team.tasks.create({ subject: "s", description: "" });
      await before.tasks.claim(made.id, "alice");
      const lease = await before.receive();
      const [message] = await lease.take();
      expect(await second.desk.take()).toBe(undefined);
      await place.run(`update host set lease_until = now() - interval '1 second' where role = '${first.role}'`);
      expect(await store.spawns.look(id)).toMatchObject({ state: "running", isHeard: false });
      const again = await second.desk.take();
      expect(again).toMatchObject({ id, member: "alice", starts: 2, result: { branch: "b" } });
      const history = await place.run("select count(*) from event");
      const writes: Readonly<Record<string, () => Promise<unknown>>> = {
        send: () => before.send("bob", { text: "late" }),
        "send under a key": () => before.send("bob", { text: "late" }, undefined, { once: "late" }),
        record: () => before.record({ n: 1 }),
        complete: () => before.tasks.complete(made.id),
        create: () => before.tasks.create({ subject: "late", description: "" }),
        depend: () => before.tasks.update(made.id, { addBlocks: [made.id] }),
        receive: () => before.receive(),
        leave: () => late.leave("alice"),
        "say where it runs": () => late.updateMember("alice", { tmuxPaneId: "%1", backendType: "tmux" }),
      };
      for (const [name, write] of Object.entries(writes)) {
        const refusal: unknown = await write().catch((error: unknown) => error);
        expect(refusal, name).toMatchObject({ code: "store_refused" });
      }
      await expect(before.send("bob", { text: "late" })).rejects.toThrow(
        `alice of crew does nothing any more as epoch ${start} on ${first.role}: it was started again on ${second.role}, as epoch ${again?.epoch}`,
      );
      await expect(lease.acknowledge(new Set([message?.key ?? ""]))).rejects.toMatchObject({
        code: expect.stringMatching(/^(lease_lost|store_refused)$/),
      });
      expect((await team.mail("bob").page()).value).toEqual([]);
      expect(await place.run("select count(*) from event")).toEqual(history);
      await expect(first.desk.report(start ?? "", { state: "ended" })).rejects.toMatchObject({ code: "store_refused" });
      await expect(first.desk.renew(60_000)).rejects.toMatchObject({ details: { isLate: true } });
      await first.desk.enter(minute);
      expect(await first.desk.mine()).toEqual([]);
      const after = await (await seen(second, again?.epoch)).as("alice");
      const next = await after.receive({ deadlineMs: 2_000 });
      expect((await next.take()).map(({ key }) => key)).toEqual([message?.key]);
      await next.release();
      expect((await after.tasks.complete(made.id)).status).toBe("completed");
    }));

  test("a start that was given up, given back or has ended writes nothing, and is told which of it", () =>
    withCrew(server, async ({ ask, host, seen, store, place }) => {
      const { desk, role } = await host();
      await desk.enter({ ...minute, slots: 9 });
      const started = async () => {
        const id = await ask("alice");
        const start = (await desk.take())?.epoch ?? "";
        return { id, start, alice: await (await seen({ desk, role, url: "" }, start)).as("alice") };
      };
      const refusal = (late: { record(event: object): Promise<unknown> }) =>
        late.record({ n: 1 }).then(
          () => expect.unreachable(),
          (error: Error) => error.message,
        );
      const [one] = [await started()];
      await store.spawns.giveUp(one.id, "nobody needs it");
      expect(await refusal(one.alice)).toContain("it has ended (nobody needs it)");
      const two = await started();
      await desk.report(two.start, { state: "wanted" });
      expect(await refusal(two.alice)).toContain("waits for another one");
      const [same] = [await desk.take()];
      expect(same).toMatchObject({ id: two.id, starts: 2 });
      expect(await refusal(two.alice)).toContain(`started again on ${role}, as epoch ${same?.epoch}`);
      await grantHost({ url: place.url, role, team: "crew", members: ["bob"] });
      const bob = await (await seen({ desk, role, url: "" }, same?.epoch)).as("bob");
      await bob.record({ n: 1 });
      expect(await dismissHost({ url: place.url, role })).toBe(true);
      expect(await store.spawns.look(two.id)).toMatchObject({ state: "wanted", host: null });
      expect(await dismissHost({ url: place.url, role })).toBe(false);
    }));

  test("with a team ends what hosts are asked for it: what waits at once, and what runs as its host hears, which has its slot again", () =>
    withCrew(server, async ({ ask, host, store, team }) => {
      const { desk } = await host();
      await desk.enter({ ...minute, slots: 1 });
      const ids = [await ask("alice"), await ask("bob")];
      const taken = await desk.take();
      await desk.report(taken?.epoch ?? "", { state: "running" });
      await store.deleteTeam("crew", { evenIfActive: true });
      expect(await store.spawns.look(ids[1] ?? "")).toMatchObject({ state: "ended", detail: "its team has ended" });
      expect(await desk.mine()).toMatchObject([{ id: ids[0], team: "crew", member: "alice", stopMs: 5_000 }]);
      expect(await store.spawns.open("crew")).toMatchObject([{ member: "alice" }]);
      await desk.report(taken?.epoch ?? "", { state: "ended", reason: "shutdown", detail: "a\0b" });
      expect(await store.spawns.look(ids[0] ?? "")).toMatchObject({ state: "ended", detail: "ab" });
      await expect(ask("alice")).rejects.toMatchObject({ code: "team_unknown" });
      const { form, name } = team;
      const again = {
        name,
        revision: form as "2026-02",
        createdAt: 1,
        leadSessionId: "two",
        leadModel: "m",
        cwd: "/p",
      };
      await store.createTeam(again);
      const next = await ask("alice");
      expect([await ask("alice"), (await desk.take())?.id]).toEqual([next, next]);
    }));

  test("what was asked to end waits for no other host, whether its host gives it back or is removed", () =>
    withCrew(server, async ({ ask, host, store, place }) => {
      const { desk, role } = await host();
      await desk.enter(minute);
      const ids = [await ask("alice"), await ask("bob")];
      const taken = [await desk.take(), await desk.take()];
      for (const id of ids) await store.spawns.stop(id, 100);
      await desk.report(taken[0]?.epoch ?? "", { state: "wanted", result: { n: 1 } });
      const back = { state: "ended", reason: "shutdown", host: role, result: { n: 1 } };
      expect(await store.spawns.look(ids[0] ?? "")).toMatchObject(back);
      await dismissHost({ url: place.url, role });
      expect(await store.spawns.look(ids[1] ?? "")).toMatchObject({ state: "ended", detail: "its host was removed" });
      expect(await store.spawns.open("crew")).toEqual([]);
    }));

  test("a database that takes a call and is silent is away for hosts and leads, and is asked again when it answers", () =>
    withCrew(server, async ({ ask, host, place }) => {
      const { url, desk: entered } = await host();
      await entered.enter(minute);
      const id = await ask("alice");
      const impatient = (address: string) => ({ url: `${address}&query_timeout=300` });
      const desk = await openHostDesk(impatient(url));
      const store = await openPostgresStore(impatient(place.url));
      const calls = [() => desk.mine(), () => store.spawns.look(id)] as const;
      try {
        for (const call of calls) await call();
        server().freeze();
        try {
          for (const call of calls)
            await expect(awaited("a refusal", Promise.resolve(call()))).rejects.toMatchObject({
              code: "store_unavailable",
            });
        } finally {
          server().thaw();
        }
        for (const call of calls) await call();
      } finally {
        await desk.close();
        await store.close();
      }
    }));

  test("who starts a teammate again waits for what its earlier start is about to write, whatever that is", () =>
    withCrew(server, async ({ ask, host, place }) => {
      const [first, second] = [await host(), await host()];
      await second.desk.enter(minute);
      await first.desk.enter(minute);
      await place.run(`update host set lease_until = 'infinity' where role = '${first.role}'`);
      await ask("alice", `host:${first.role}`);
      const start = (await place.run("select 1")) && (await first.desk.take())?.epoch;
      await place.run(
        "update spawn_request set wanted = '{}'; update host set lease_until = now() where epoch = 1 and slots = 2",
      );
      await second.desk.enter(minute);
      const client = new Client({ connectionString: first.desk.urlOf(start ?? "") });
      await client.connect();
      try {
        await client.query("begin; insert into plan (name, content) values ('mine', '1')");
        const taking = second.desk.take();
        const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%host_take%'";
        await untilSeen("the host that waits", async () => (await place.run(waiting)).length > 0);
        await client.query("commit");
        expect(await taking).toMatchObject({ member: "alice" });
        await expect(client.query("insert into plan (name, content) values ('late', '1')")).rejects.toThrow(
          "started again",
        );
      } finally {
        await client.end();
      }
    }));

  test("a role that nobody has admitted is told the command that does", () =>
    withCrew(server, async ({ place }) => {
      const { url } = await place.newRole();
      await expect(openHostDesk({ url })).rejects.toMatchObject({
        code: "store_refused",
        message:
          "the role of this address sees no tables of a store: troupe host add admits it as a host, once troupe store migrate has created them",
      });
    }));

  test("of two processes of one host the later one serves, and the earlier one is told so", () =>
    withCrew(server, async ({ ask, host }) => {
      const { desk, role, url } = await host();
      await desk.enter(minute);
      await ask("alice");
      const taken = await desk.take();
      const later = await openHostDesk({ url });
      await later.enter(minute);
      expect((await later.mine()).map(({ epoch }) => epoch)).toEqual([taken?.epoch]);
      for (const deed of [() => desk.renew(60_000), () => desk.take()])
        await expect(deed()).rejects.toThrow(`another troupe host runs as ${role}`);
      await later.close();
    }));
});
