import assert from "node:assert/strict";
import { codeOf, keysOf, mailOf, mate, numbers, type StoreLaw, textsOf } from "./law.ts";

const stamp = { at: "2026-02-13T10:45:20.631Z", id: "7d08c805-4ef4-4ab2-8f2f-7d08c8054ef4" };
const draft = { subject: "Parse", description: "All of it" };

export const repeatLaws: readonly StoreLaw[] = [
  {
    name: "a message that is sent again with its stamp is in the mail once, under the same key",
    async holds({ team, other }) {
      const [lead, again] = [await team.as("team-lead"), await other.as("team-lead")];
      const first = await lead.send("alice", { text: "go" }, stamp);
      const tries = await Promise.all(
        numbers(4).map((n) => (n % 2 ? lead : again).send("alice", { text: "go" }, stamp)),
      );
      await lead.send("alice", { text: "go" });
      const mail = await mailOf(other, "alice");
      assert.equal(mail.length, 2);
      assert.deepEqual(keysOf([first, ...tries]), keysOf(mail.slice(0, 1)));
      assert.equal(mail[0]?.entry.timestamp, stamp.at);
    },
  },
  {
    name: "of several messages that are sent under one key, also by several processes, the first is sent, and all get it",
    async holds({ team, other }) {
      const leads = [await team.as("team-lead"), await other.as("team-lead")];
      const sent = await Promise.all(
        [0, 1, 2, 3].map((n) =>
          leads[n % 2]?.send("alice", { text: `answer ${n}` }, undefined, { once: "question 1" }),
        ),
      );
      const texts = sent.map((message) => message?.entry.text);
      assert.equal(new Set(texts).size, 1);
      const taken = await (await team.as("alice")).receive();
      const [only] = await taken.take();
      assert.deepEqual([only?.entry.text, only?.key], [texts[0], sent[0]?.key]);
      await taken.acknowledge(new Set([only?.key ?? ""]));
      const late = await leads[0]?.send("alice", { text: "late" }, undefined, { once: "question 1" });
      assert.equal(late?.entry.text, texts[0]);
      assert.equal((await taken.take()).length, 0);
      await leads[0]?.send("alice", { text: "another" }, undefined, { once: "question 2" });
      assert.equal((await taken.take()).length, 1);
      await taken.release();
    },
  },
  {
    name: "a task that is created again with its key is created once, and its owner told once",
    async holds({ team, other }) {
      const make = (n: number, once: string) => (n % 2 ? team : other).tasks.create(draft, { once, owner: "alice" });
      const made = await Promise.all(numbers(4).map((n) => make(n, "one")));
      assert.equal(new Set(made.map(({ id }) => id)).size, 1);
      assert.equal((await make(1, "one")).id, made[0]?.id);
      const next = await make(1, "two");
      assert.notEqual(next.id, made[0]?.id);
      assert.deepEqual(
        (await other.tasks.list()).tasks.map(({ id }) => id),
        [made[0]?.id, next.id],
      );
      const told = textsOf(await mailOf(other, "alice")).map((text) => JSON.parse(text).taskId);
      assert.deepEqual(told, [made[0]?.id, next.id]);
    },
  },
  {
    name: "a task that is created again with its key is as it is now, and stays away once it was removed",
    async holds({ team, other }) {
      const { id } = await team.tasks.create(draft, { once: "one" });
      await team.tasks.claim(id, "alice");
      assert.deepEqual((await other.tasks.create(draft, { once: "one" })).owner, "alice");
      await team.tasks.remove(id);
      assert.equal((await other.tasks.create(draft, { once: "one" })).id, id);
      assert.deepEqual((await other.tasks.list()).tasks, []);
    },
  },
  {
    name: "the list of a session knows its keys too",
    async holds({ stores }) {
      const [first, second] = stores.map((store) => store.tasksOfSession("session-1"));
      const made = await first?.create(draft, { once: "one" });
      assert.equal((await second?.create(draft, { once: "one" }))?.id, made?.id);
      assert.equal((await second?.list())?.tasks.length, 1);
    },
  },
  {
    name: "a member that joins again with its key is the one that joined, and another key is refused the name",
    async holds({ team, other }) {
      const join = (n: number, once: string) => (n % 2 ? team : other).join(mate("carol"), { once });
      const joined = await Promise.all(numbers(4).map((n) => join(n, "one")));
      for (const member of joined) assert.deepEqual(member, joined[0]);
      assert.equal(await codeOf(join(1, "two")), "name_taken");
      assert.equal(await codeOf(team.join(mate("carol"))), "name_taken");
      assert.equal((await other.config()).value?.members.length, 4);
      await team.leave("carol");
      assert.equal((await join(2, "one")).name, "carol");
      assert.equal((await other.config()).value?.members.length, 3);
    },
  },
  {
    name: "a team that is created again with its key is the same, and is gone once it was ended",
    async holds({ stores, draft: first }) {
      const next = { ...first, name: "next", leadSessionId: "another" };
      const make = (n: number, once: string) => (n % 2 ? stores[0] : stores[1]).createTeam(next, { once });
      for (const { name } of await Promise.all(numbers(4).map((n) => make(n, "one")))) assert.equal(name, "next");
      assert.equal(await codeOf(make(1, "two")), "team_exists");
      await stores[0].deleteTeam("next");
      assert.equal(await codeOf(make(2, "one")), "team_unknown");
      assert.equal((await make(1, "two")).name, "next");
    },
  },
];
