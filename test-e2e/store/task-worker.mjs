// A process that works on one task list. What it prints is what it was told is done: the test holds
// the files against it.
import { setTimeout as delay } from "node:timers/promises";
import { codecFor, layoutOf } from "@troupe/protocol";
import { openTasks } from "@troupe/store/files";
import { stamped } from "./stamped.mjs";

const { job, revision, root, name, count, staleMs = 10_000 } = JSON.parse(process.argv[2]);
const tasks = openTasks({
  layout: layoutOf(root).team("storm"),
  codec: codecFor(revision),
  limits: { deadlineMs: 30_000, staleMs },
  isMember: async () => true,
});
const draft = { subject: name ?? job, description: "" };
const create = () => stamped("create", async () => Number((await tasks.create(draft)).id));

/** Says who has it: this agent if it was free. */
const claim = (id) =>
  stamped(`claim ${id} ${name}`, async () => {
    const { outcome, owner } = await tasks.claim(id, name);
    return outcome === "taken" ? owner : outcome;
  });

const jobs = {
  async create() {
    for (let n = 0; n < count; n += 1) await create();
  },
  /** Wants task 1, then whatever is next until none is left. */
  async drain() {
    await claim("1");
    const next = () => stamped(`next ${name}`, async () => Number((await tasks.claimNext(name))?.id ?? 0));
    while ((await next()) > 0);
  },
  /** Wants task 1 again and again, and gives it back each time. */
  async juggle() {
    for (let won = 0; won < count; ) {
      if ((await claim("1")) !== "claimed") {
        // A refusal takes no lock: thousands of them would say what one says.
        await delay(3);
        continue;
      }
      won += 1;
      await stamped(`release ${name}`, () => tasks.release("1", name));
    }
  },
  /** Completes task n, while others make task n + count wait for it, and others want that. */
  async complete() {
    for (let n = 1; n <= count; n += 1) await stamped(`complete ${n}`, async () => void (await tasks.complete(`${n}`)));
  },
  async join() {
    for (let n = 1; n <= count; n += 1) {
      await stamped(`join ${n}`, async () => void (await tasks.update(`${count + n}`, { addBlockedBy: [`${n}`] })));
    }
  },
  async claim() {
    for (let n = 1; n <= count; n += 1) await claim(`${count + n}`);
  },
  /** Everything that touches several files, without an end. */
  async churn() {
    for (;;) {
      const [first, second] = [`${await create()}`, `${await create()}`];
      await tasks.update(second, { addBlockedBy: [first] });
      await tasks.complete(first);
      await stamped(`remove ${second}`, () => tasks.remove(second));
    }
  },
};
await jobs[job]();
