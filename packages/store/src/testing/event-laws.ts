import assert from "node:assert/strict";
import type { Store } from "../store.ts";
import { codeOf, mate, numbers, type StoreLaw } from "./law.ts";

const pastOf = async <T>(events: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const event of events) found.push(event);
  return found;
};

export const eventLaws: readonly StoreLaw[] = [
  {
    name: "a recorded event is in the history once, in order, with the member that recorded it",
    async holds({ team, other }) {
      const [alice, bob] = [await team.as("alice"), await other.as("bob")];
      assert.deepEqual(await pastOf(team.history()), []);
      await alice.record({ kind: "spawned", text: "two\nlines" });
      await bob.record({ kind: "ended" });
      const events = await pastOf(other.history());
      assert.deepEqual(
        events.map(({ by, event }) => [by, event]),
        [
          ["alice", { kind: "spawned", text: "two\nlines" }],
          ["bob", { kind: "ended" }],
        ],
      );
      for (const { at } of events) assert.equal(new Date(at).toISOString(), at);
      assert.deepEqual(await pastOf(team.history(events[0]?.id)), events.slice(1));
      assert.deepEqual(await pastOf(team.history(events[1]?.id)), []);
      await Promise.all(numbers(20).map((n) => (n % 2 ? alice : bob).record({ n })));
      const later = (await pastOf(team.history(events[1]?.id))).map(({ event }) => (event as { n: number }).n);
      assert.deepEqual(
        later.sort((a, b) => a - b),
        numbers(20),
      );
      assert.equal(await codeOf(pastOf(team.history("no event"))), "arguments_invalid");
    },
  },
  {
    name: "with a signal the history goes on with what is recorded next, until that fires",
    async holds({ team, other }) {
      const over = new AbortController();
      const alice = await team.as("alice");
      await alice.record({ n: 1 });
      const events = other.history(undefined, over.signal);
      assert.deepEqual((await events.next()).value?.event, { n: 1 });
      const next = events.next();
      await alice.record({ n: 2 });
      assert.deepEqual((await next).value?.event, { n: 2 });
      const last = events.next();
      over.abort();
      assert.equal((await last).done, true);
    },
  },
  {
    name: "a team that is created again under the same name begins with an empty history",
    async holds({ stores, team, draft }) {
      await (await team.as("alice")).record({ n: 1 });
      await stores[0].deleteTeam("crew", { evenIfActive: true });
      const again = await stores[1].createTeam({ ...draft, createdAt: draft.createdAt + 1 });
      assert.deepEqual(await pastOf(again.history()), []);
    },
  },
  {
    name: "a watch misses no change of members, mail and tasks, and ends when it is told to",
    async holds({ team, other }) {
      const over = new AbortController();
      const changes = team.watch(over.signal);
      const hears = async (wanted: object) => {
        for (;;) {
          const { value, done } = await changes.next();
          assert(!done, `the watch ended before ${JSON.stringify(wanted)}`);
          if (JSON.stringify(value) === JSON.stringify(wanted)) return;
        }
      };
      await other.join(mate("carol"));
      await hears({ kind: "config" });
      for (const n of numbers(3)) {
        await (await other.as("bob")).send("carol", { text: `${n}` });
        await hears({ kind: "inbox", name: "carol" });
      }
      const { id } = await other.tasks.create({ subject: "s", description: "" });
      await hears({ kind: "task", id });
      over.abort();
      for (let next = await changes.next(); !next.done; next = await changes.next());
    },
  },
  {
    name: "a store that is closed ends its watches, gives its leases up and does nothing any more",
    async holds({ stores, team, other }) {
      const alice = await team.as("alice");
      const lease = await alice.receive();
      const [changes, events] = [team.watch(), team.history(undefined, new AbortController().signal)];
      const ends = [changes.next(), events.next()];
      await stores[0].close();
      await stores[0].close();
      for (const { done } of await Promise.all(ends)) assert.equal(done, true);
      await (await (await other.as("alice")).receive()).release();
      const calls = [
        stores[0].listTeams(),
        team.config(),
        team.tasks.list(),
        alice.send("bob", { text: "hello" }),
        lease.take(),
      ];
      assert.deepEqual(
        await Promise.all(calls.map(codeOf)),
        calls.map(() => "store_closed"),
      );
      assert.deepEqual(closedNow(stores[0]), "store_closed");
      assert.deepEqual(await stores[1].listTeams(), ["crew"]);
    },
  },
];

function closedNow(store: Store): unknown {
  try {
    return store.tasksOfSession("session-1");
  } catch (error) {
    return (error as { readonly code?: unknown }).code;
  }
}
