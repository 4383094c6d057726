import assert from "node:assert/strict";
import { codeOf, keysOf, mailOf, numbers, type StoreLaw, textsOf } from "./law.ts";

export const mailLaws: readonly StoreLaw[] = [
  {
    name: "of what several send at once nothing is lost, and what one sent stays in its order",
    async holds({ team, other }) {
      const senders = await Promise.all([team.as("team-lead"), other.as("bob"), other.as("alice")]);
      await Promise.all(
        senders.map(async (sender) => {
          for (const n of numbers(12)) await sender.send("alice", { text: `${sender.name} ${n}` });
        }),
      );
      const texts = textsOf(await mailOf(other, "alice"));
      assert.equal(texts.length, 36);
      for (const { name } of senders)
        assert.deepEqual(
          texts.filter((text) => text.startsWith(`${name} `)),
          numbers(12).map((n) => `${name} ${n}`),
        );
    },
  },
  {
    name: "a message is from the member whose handle sent it, and a stranger is sent nothing",
    async holds({ team, other }) {
      const bob = await team.as("BOB");
      await bob.send("Alice", { text: "hello", summary: "a word" });
      assert.equal(await codeOf(bob.send("mallory", { text: "hello" })), "recipient_unknown");
      assert.deepEqual(await mailOf(other, "mallory"), []);
      const { value } = await other.config();
      const color = value?.members.find(({ name }) => name === "bob")?.color;
      const [message] = await mailOf(other, "alice");
      assert.deepEqual([message?.entry.from, message?.entry.color, message?.entry.summary], ["bob", color, "a word"]);
    },
  },
  {
    name: "looking and taking change nothing, and what is acknowledged is handed out no more",
    async holds({ team, other }) {
      const lead = await team.as("team-lead");
      for (const text of ["one", "two", "three"]) await lead.send("alice", { text });
      const lease = await (await other.as("alice")).receive();
      const taken = await lease.take();
      assert.deepEqual(textsOf(taken), ["one", "two", "three"]);
      assert.deepEqual(keysOf(await mailOf(team, "alice")), keysOf(taken));
      assert.deepEqual(await lease.take(), taken);
      await lease.acknowledge(keysOf(taken.slice(0, 2)));
      await lease.acknowledge(keysOf(taken.slice(0, 1)));
      assert.deepEqual(textsOf(await lease.take()), ["three"]);
      await lease.release();
      const next = await (await team.as("alice")).receive();
      assert.deepEqual(textsOf(await next.take()), ["three"]);
      await next.release();
    },
  },
  {
    name: "equal messages have keys of their own, also after one of them was acknowledged",
    async holds({ team, other }) {
      const lead = await team.as("team-lead");
      const lease = await (await other.as("alice")).receive();
      const seen: string[] = [];
      for (const _ of numbers(3)) {
        await lead.send("alice", { text: "again" });
        const taken = await lease.take();
        assert.equal(taken.length, 1);
        seen.push(...keysOf(taken));
        await lease.acknowledge(keysOf(taken));
      }
      assert.equal(new Set(seen).size, 3);
      await lease.release();
    },
  },
  {
    name: "a page has the last messages, oldest first, and those before a key",
    async holds({ team, other }) {
      const lead = await team.as("team-lead");
      for (const n of numbers(5)) await lead.send("alice", { text: `${n}` });
      const mail = other.mail("alice");
      const last = (await mail.page({ limit: 2 })).value ?? [];
      assert.deepEqual(textsOf(last), ["4", "5"]);
      const before = (await mail.page({ limit: 2, before: last[0]?.key })).value ?? [];
      assert.deepEqual(textsOf(before), ["2", "3"]);
      assert.deepEqual(textsOf((await mail.page({ before: before[0]?.key })).value ?? []), ["1"]);
      assert.deepEqual((await mail.page({ before: "no key" })).value, []);
    },
  },
  {
    name: "mail has one consumer, and the next one has it once that is released",
    async holds({ team, other }) {
      const first = await (await team.as("alice")).receive();
      let isFree = false;
      const next = (await other.as("alice")).receive().then((lease) => {
        assert(isFree, "two hold a lease of the same mail");
        return lease;
      });
      await (await team.as("bob")).send("alice", { text: "hello" });
      assert.deepEqual(textsOf(await first.take()), ["hello"]);
      isFree = true;
      await first.release();
      const second = await next;
      assert.notEqual(second.epoch, first.epoch);
      assert.deepEqual(textsOf(await second.take()), ["hello"]);
      assert.equal(await codeOf(first.take()), "lease_lost");
      await second.release();
    },
  },
  {
    name: "mail that another consumes is refused at the end of the time that is given",
    async holds({ team, other }) {
      const first = await (await team.as("alice")).receive();
      const next = (await other.as("alice")).receive({ deadlineMs: 50 });
      assert.equal(await codeOf(next), "lock_unavailable");
      await first.release();
      await (await (await other.as("alice")).receive({ deadlineMs: 50 })).release();
    },
  },
  {
    name: "a consumer that was stopped for too long neither takes nor acknowledges nor releases what another consumes",
    async holds({ engine, team, other }) {
      await (await team.as("bob")).send("alice", { text: "hello" });
      const stopped = await (await team.as("alice")).receive();
      const taken = await stopped.take();
      await engine.expireLeases();
      const holder = await (await other.as("alice")).receive();
      assert.equal(await codeOf(stopped.acknowledge(keysOf(taken))), "lease_lost");
      assert.equal(await codeOf(stopped.take()), "lease_lost");
      await stopped.release();
      assert.deepEqual(textsOf(await holder.take()), ["hello"]);
      await holder.acknowledge(keysOf(taken));
      assert.deepEqual(await holder.take(), []);
      await holder.release();
    },
  },
  {
    name: "a consumer that waits for mail is woken by it, has what is there at once, and nothing when it gives up",
    async holds({ team, other }) {
      const lease = await (await other.as("alice")).receive();
      const waiting = lease.wait();
      await (await team.as("bob")).send("alice", { text: "hello" });
      assert.deepEqual(textsOf(await waiting), ["hello"]);
      assert.deepEqual(textsOf(await lease.wait()), ["hello"]);
      await lease.acknowledge(keysOf(await lease.take()));
      const over = new AbortController();
      const never = lease.wait(over.signal);
      over.abort();
      assert.deepEqual(await never, []);
      await lease.release();
    },
  },
];
