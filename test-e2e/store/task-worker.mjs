// A process that works on one task list. What it prints is what it was told is done: the test holds the files against it.
import { codecFor, layoutOf } from "@troupe/protocol";
import { openTasks } from "@troupe/store";

const [job, revision, root, name, count, staleMs] = process.argv.slice(2);
const tasks = openTasks({
  layout: layoutOf(root).team("storm"),
  codec: codecFor(revision),
  limits: { deadlineMs: 30_000, staleMs: Number(staleMs) },
  isMember: async () => true,
});
const say = (line) => process.stdout.write(`${line}\n`);

const jobs = {
  async create() {
    for (let n = 0; n < Number(count); n += 1)
      say((await tasks.create({ subject: `${name} ${n}`, description: "" })).id);
  },
  /** Wants task 1, then whatever is next. */
  async drain() {
    const { outcome } = await tasks.claim("1", name);
    if (outcome === "claimed") say("1");
    for (let task = await tasks.claimNext(name); task; task = await tasks.claimNext(name)) say(task.id);
  },
  /** Completes task n while others make task n + count wait for it. */
  async complete() {
    for (let n = 1; n <= Number(count); n += 1) say((await tasks.complete(String(n))).id);
  },
  async join() {
    for (let n = 1; n <= Number(count); n += 1) {
      const waiting = Number(count) + n;
      say((await tasks.update(String(waiting), { addBlockedBy: [String(n)] })).id);
    }
  },
  /** Everything that touches several files, without an end. */
  async churn() {
    for (;;) {
      const [first, second] = [
        await tasks.create({ subject: name, description: "" }),
        await tasks.create({ subject: name, description: "" }),
      ];
      say(`given ${first.id} ${second.id}`);
      await tasks.update(second.id, { addBlockedBy: [first.id] });
      await tasks.complete(first.id);
      await tasks.remove(second.id);
      say(`removed ${second.id}`);
    }
  },
};
await jobs[job]();
