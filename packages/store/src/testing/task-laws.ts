import assert from "node:assert/strict";
import type { Tasks } from "../store.ts";
import { codeOf, numbers, outcomesOf, type StoreLaw } from "./law.ts";

const draft = (subject: string) => ({ subject, description: "" });

async function make(tasks: Tasks, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (const n of numbers(count)) ids.push((await tasks.create(draft(`task ${n}`))).id);
  return ids;
}

/** Both ends of every dependency, as the tasks tell them. */
async function edgesIn(tasks: Tasks) {
  const found = (await tasks.list()).tasks;
  return {
    blocks: found.flatMap(({ id, blocks = [] }) => blocks.map((to) => `${id} before ${to}`)).sort(),
    blockedBy: found.flatMap(({ id, blockedBy = [] }) => blockedBy.map((by) => `${by} before ${id}`)).sort(),
  };
}

export const taskLaws: readonly StoreLaw[] = [
  {
    name: "no id is given twice, however many create at once and whatever was removed",
    async holds({ team, other }) {
      const made = await Promise.all(numbers(20).map((n) => (n % 2 ? team : other).tasks.create(draft(`${n}`))));
      const ids = made.map(({ id }) => id);
      assert.equal(new Set(ids).size, 20);
      const last = ids.map(Number).sort((a, b) => b - a)[0];
      assert.equal(await team.tasks.remove(String(last)), true);
      assert(!ids.includes((await other.tasks.create(draft("next"))).id));
      assert.equal((await other.tasks.list()).tasks.length, 20);
    },
  },
  {
    name: "one of any number that claim a task has it, and the others learn who",
    async holds({ team, other }) {
      const [id = ""] = await make(team.tasks, 1);
      const agents = numbers(8).map((n) => (n % 2 ? "alice" : "bob"));
      const claims = await Promise.all(agents.map((agent, n) => (n % 3 ? team : other).tasks.claim(id, agent)));
      const winners = claims.flatMap((claim) => (claim.outcome === "claimed" ? [claim.task.owner] : []));
      assert.equal(winners.length, 1);
      assert.deepEqual(new Set(claims.map(({ outcome }) => outcome)), new Set(["claimed", "taken"]));
      const { value } = await other.tasks.get(id);
      assert.deepEqual([value?.owner, value?.status], [winners[0], "in_progress"]);
    },
  },
  {
    name: "each task goes to one of those who take the next one, the lowest first",
    async holds({ team, other }) {
      const ids = await make(team.tasks, 12);
      assert.equal((await other.tasks.claimNext("alice"))?.id, ids[0]);
      const takers = numbers(14).map((n) => (n % 2 ? team : other).tasks.claimNext(n % 3 ? "alice" : "bob"));
      const taken = (await Promise.all(takers)).flatMap((task) => (task ? [task.id] : []));
      assert.deepEqual([...taken].sort(), ids.slice(1).sort());
      assert.equal(await team.tasks.claimNext("bob"), undefined);
    },
  },
  {
    name: "a dependency is told by both tasks, whichever end it is made at",
    async holds({ team, other }) {
      const [a = "", b = "", c = "", d = ""] = await make(team.tasks, 4);
      await Promise.all([
        team.tasks.update(a, { addBlocks: [b, c] }),
        other.tasks.update(d, { addBlockedBy: [b] }),
        other.tasks.update(d, { addBlockedBy: [c] }),
      ]);
      const wanted = [`${a} before ${b}`, `${a} before ${c}`, `${b} before ${d}`, `${c} before ${d}`].sort();
      assert.deepEqual(await edgesIn(other.tasks), { blocks: wanted, blockedBy: wanted });
      await team.tasks.remove(b);
      const left = wanted.filter((edge) => !edge.split(" ").includes(b));
      assert.deepEqual(await edgesIn(other.tasks), { blocks: left, blockedBy: left });
    },
  },
  {
    name: "no circle of dependencies comes about, also when its two halves are made at once",
    async holds({ team, other }) {
      const [a = "", b = ""] = await make(team.tasks, 2);
      const halves = [team.tasks.update(a, { addBlockedBy: [b] }), other.tasks.update(b, { addBlockedBy: [a] })];
      assert.deepEqual(await outcomesOf(halves), { done: 1, codes: ["task_cyclic"] });
      const { blocks, blockedBy } = await edgesIn(other.tasks);
      assert.equal(blocks.length, 1);
      assert.deepEqual(blocks, blockedBy);
    },
  },
  {
    name: "a task that waits for another cannot be claimed until that is completed",
    async holds({ team, other }) {
      const [a = "", b = ""] = await make(team.tasks, 2);
      await team.tasks.update(b, { addBlockedBy: [a] });
      assert.equal((await other.tasks.claim(b, "alice")).outcome, "blocked");
      assert.equal(await codeOf(other.tasks.update(b, { status: "in_progress" })), "task_blocked");
      assert.deepEqual(
        (await other.tasks.ready()).map(({ id }) => id),
        [a],
      );
      await team.tasks.complete(a);
      assert.equal((await other.tasks.claimNext("alice"))?.id, b);
    },
  },
  {
    name: "a refused change leaves no trace",
    async holds({ team, other }) {
      const [a = ""] = await make(team.tasks, 1);
      const before = JSON.stringify(await other.tasks.list());
      assert.equal(await codeOf(team.tasks.create(draft("x"), { addBlockedBy: ["99"] })), "task_unknown");
      assert.equal(await codeOf(team.tasks.create(draft("x"), { owner: "mallory" })), "member_unknown");
      assert.equal(await codeOf(team.tasks.update(a, { subject: "y", addBlocks: ["99"] })), "task_unknown");
      assert.equal(await codeOf(team.tasks.claim(a, "mallory")), "member_unknown");
      assert.equal(JSON.stringify(await other.tasks.list()), before);
    },
  },
  {
    name: "a task is released by its owner, and only unfinished",
    async holds({ team, other }) {
      const [a = ""] = await make(team.tasks, 1);
      await team.tasks.claim(a, "alice");
      assert.equal(await other.tasks.release(a, "bob"), false);
      assert.equal(await other.tasks.release(a, "alice"), true);
      assert.equal((await other.tasks.claim(a, "bob")).outcome, "claimed");
      await team.tasks.complete(a);
      assert.equal(await other.tasks.release(a), false);
    },
  },
  {
    name: "a new owner is told of its task once, and by whom",
    async holds({ team, other }) {
      const [a = ""] = await make(team.tasks, 1);
      await (await other.as("bob")).tasks.update(a, { owner: "alice" });
      const told = ((await team.mail("alice").page()).value ?? []).map(({ entry }) => JSON.parse(entry.text));
      assert.deepEqual(
        told.map(({ type, taskId, assignedBy }) => [type, taskId, assignedBy]),
        [["task_assignment", a, "bob"]],
      );
    },
  },
];
