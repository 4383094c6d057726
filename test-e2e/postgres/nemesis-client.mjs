// A process of one member that works until it is time. What it is about to do and what it was told
// go to stdout, a line each: [number, microseconds, "call", team, operation, arguments], then
// [number, microseconds, "ok" | "fail" | "info" | "wrong", reply]. A failure changed nothing; of
// "info" nobody knows.
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgresStore } from "@troupe/store-postgres";
import { pick, randomFrom } from "../store/soak/random.mjs";
import { nowUs } from "../store/stamped.mjs";

const { url, member, members, life, seed, untilUs } = JSON.parse(process.argv[2]);
const random = randomFrom(seed);
const below = (count) => Math.floor(random() * count);
const isOver = () => nowUs() > untilUs;
const say = (...line) => process.stdout.write(`${JSON.stringify(line)}\n`);

// The clock on the wall jumps by up to a day, back and forth.
const RealDate = Date;
let offset = 0;
const jumped = () => RealDate.now() + offset;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args) => (args.length > 0 ? new target(...args) : new target(jumped())),
  get: (target, key) => (key === "now" ? jumped : Reflect.get(target, key)),
});

/** What a fault of the network, the server or another holder may rightly cause. */
const faults = new Set(["store_unavailable", "lock_unavailable", "lease_lost"]);

let calls = 0;
async function attempt(operation, args, work, { isRepeated = false, mayRefuse = false } = {}) {
  calls += 1;
  const number = calls;
  say(number, nowUs(), "call", "crew", operation, args);
  for (let isAmbiguous = false; ; await sleep(20)) {
    try {
      const { reply, value, outcome = "ok" } = await work();
      say(number, nowUs(), outcome, reply ?? null);
      return value;
    } catch (error) {
      isAmbiguous ||= error.details?.isAmbiguous === true;
      if (error.code === "lease_lost") lease = undefined;
      const isFault = faults.has(error.code) || (mayRefuse && error.code === "store_refused");
      if (isFault && isRepeated && !isOver()) continue;
      say(number, nowUs(), !isFault ? "wrong" : isAmbiguous ? "info" : "fail", `${error.code}: ${error.stack}`);
      return undefined;
    }
  }
}

/** What is no part of the history: tried until it is there, or time is over. */
async function gotten(work) {
  while (!isOver()) {
    try {
      return await work();
    } catch (error) {
      if (!faults.has(error.code)) throw error;
      await sleep(50);
    }
  }
  process.exit(0);
}

const store = await gotten(() => openPostgresStore({ url }));
const team = await gotten(() => store.openTeam("crew"));
const self = await gotten(() => team.as(member));
let count = 0;
const nextTag = () => `${life}.${++count}`;
let lease;
let receiving;

/** Waits for the lease beside all else: the other process of the member may have it for long. */
function receive() {
  receiving ??= self
    .receive()
    .then((held) => {
      lease = held;
    })
    .catch((error) => {
      if (!faults.has(error.code)) throw error;
    })
    .finally(() => {
      receiving = undefined;
    });
}

const operations = {
  async send() {
    const [to, text] = [members[below(members.length)], nextTag()];
    // Half of them under a key, until it is told that they are sent.
    const isRepeated = random() < 0.5;
    const once = isRepeated ? { once: text } : {};
    await attempt(
      "inbox.append",
      { inbox: to, text },
      async () => ({ value: await self.send(to, { text }, undefined, once) }),
      {
        isRepeated,
      },
    );
  },
  async consume() {
    if (!lease) return receive();
    const held = lease;
    const found = await attempt("inbox.read", { inbox: member }, async () => {
      const messages = await held.take();
      return { reply: { messages: messages.map(({ entry }) => ({ text: entry.text })) }, value: messages };
    });
    if (!found?.length) return;
    // What takes its time is often stopped in the middle.
    await sleep(below(100));
    const some = found.slice(0, 1 + below(found.length));
    const texts = some.map(({ entry }) => entry.text);
    await attempt("take", { inbox: member, texts }, async () => ({
      value: await held.acknowledge(new Set(some.map(({ key }) => key))),
    }));
  },
  async yieldLease() {
    const held = lease;
    lease = undefined;
    await held?.release().catch(() => {});
  },
  async create() {
    const subject = nextTag();
    const make = () => self.tasks.create({ subject, description: "" }, { once: subject });
    await attempt("task.create", { subject }, async () => ({ reply: { id: (await make()).id } }), { isRepeated: true });
  },
  async claimNext() {
    await attempt("claimNext", { agent: member }, async () => ({
      reply: { id: (await self.tasks.claimNext(member))?.id ?? null },
    }));
  },
  async claim() {
    const { tasks } = await gotten(() => team.tasks.list());
    const open = tasks.filter(({ status }) => status !== "completed");
    const id = open[below(open.length)]?.id;
    if (id === undefined) return;
    await attempt("task.claim", { id, agent: member }, async () => {
      const { outcome } = await self.tasks.claim(id, member);
      return outcome === "claimed" ? {} : { outcome: "fail", reply: { name: "conflict" } };
    });
  },
  async finish() {
    const { tasks } = await gotten(() => team.tasks.list());
    const id = tasks.find(({ status, owner }) => status === "in_progress" && owner === member)?.id;
    if (id === undefined) return;
    const isDone = random() < 0.7;
    const args = isDone ? { id, status: "completed" } : { id, owner: null };
    const work = async () => {
      if (isDone) await self.tasks.complete(id);
      else if (!(await self.tasks.release(id, member))) return { outcome: "fail" };
      return {};
    };
    // The other process of the member may have given it back, and another host have taken it.
    await attempt("task.update", args, work, { mayRefuse: true });
  },
  async record() {
    const tag = nextTag();
    await attempt("record", { tag }, async () => ({ value: await self.record({ tag }) }));
  },
  async jump() {
    offset = (random() - 0.5) * 172_800_000;
  },
};

const weights = {
  send: 30,
  consume: 20,
  yieldLease: 2,
  create: 8,
  claimNext: 8,
  claim: 8,
  finish: 16,
  record: 6,
  jump: 2,
};
while (!isOver()) {
  await operations[pick(random, weights)]();
  await sleep(below(12));
}
await receiving;
await store.close();
