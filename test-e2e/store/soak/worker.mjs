// A process that works on two teams until it is time. What it is about to do and what it was told
// go to stdout, a line each: the ledger holds the files against it. Lines are [number,
// microseconds, "call", team, operation, arguments] and [number, microseconds, "ok" | "refused" |
// "torn" | "failed", result].
import { setTimeout as sleep } from "node:timers/promises";
import { openFileStore } from "@troupe/store/files";
import { nowUs } from "../stamped.mjs";
import { pick, randomFrom } from "./random.mjs";

const { root, slot, life, seed, slots, staleMs, untilUs } = JSON.parse(process.argv[2]);
const random = randomFrom(seed);
const below = (count) => Math.floor(random() * count);
const say = (...line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/**
 * Errors that other processes may rightly cause, and those of a holder that was stopped for too
 * long.
 */
const refusals = new Set(["lease_lost", "lock_lost", "task_unknown", "task_cyclic", "inbox_full"]);

let calls = 0;
async function attempt(team, operation, args, work) {
  calls += 1;
  const number = calls;
  say(number, nowUs(), "call", team.name, operation, args);
  try {
    const { result, value } = await work();
    say(number, nowUs(), "ok", result);
    return value ?? result;
  } catch (error) {
    // A worker that was stopped for too long receives anew.
    if (error.code === "lease_lost") team.lease = undefined;
    const outcome = refusals.has(error.code) ? "refused" : error.code === "torn" ? "torn" : "failed";
    say(number, nowUs(), outcome, outcome === "failed" ? error.stack : `${error.code}: ${error.message}`);
    return undefined;
  }
}

const store = openFileStore({ root, limits: { deadlineMs: 15_000, staleMs } });
const me = `m${slot}`;
const teams = await Promise.all(
  (await store.listTeams()).map(async (name) => {
    const team = await store.openTeam(name);
    return { name, team, self: await team.as(me), created: [], mine: new Set(), guests: [], highest: 1 };
  }),
);

let count = 0;
const nextTag = () => `${slot}.${life}.${++count}`;
/** Most are small, some have 64 KB: each size class is as likely. */
const bodyOf = (tag) => {
  const length = Math.floor(2 ** (random() * 16));
  return `${tag} ${length} ${"x".repeat(length)}`;
};

const operations = {
  async send(at) {
    const messages = Array.from({ length: random() < 0.2 ? 1 + below(8) : 1 }, () => [`m${below(slots)}`, nextTag()]);
    await Promise.all(
      messages.map(([to, tag]) =>
        attempt(at, "send", { to, tag }, async () => {
          await at.self.send(to, { text: bodyOf(tag), summary: tag });
          return { result: null };
        }),
      ),
    );
  },
  async consume(at) {
    const waiting = await attempt(at, "take", {}, async () => {
      at.lease ??= await at.self.receive();
      const value = await at.lease.take();
      for (const { entry } of value) assertWhole(entry.text);
      return { result: value.map(({ entry }) => entry.summary), value };
    });
    if (!waiting?.length) return;
    const some = random() < 0.8 ? waiting : waiting.slice(0, 1 + below(waiting.length));
    await attempt(at, "acknowledge", { tags: some.map(({ entry }) => entry.summary) }, async () => {
      await at.lease.acknowledge(new Set(some.map(({ key }) => key)));
      return { result: null };
    });
  },
  async create(at) {
    const tag = nextTag();
    const id = await attempt(at, "create", { tag }, async () => {
      const { id } = await at.team.tasks.create({ subject: tag, description: "" });
      return { result: id };
    });
    if (!id) return;
    at.created.push(id);
    at.highest = Math.max(at.highest, Number(id));
  },
  async claim(at) {
    const id = await attempt(at, "claimNext", {}, async () => ({
      result: (await at.team.tasks.claimNext(me))?.id ?? null,
    }));
    if (id) at.mine.add(id);
  },
  async finish(at) {
    const [id] = at.mine;
    if (id === undefined) return;
    at.mine.delete(id);
    const operation = random() < 0.8 ? "complete" : "release";
    await attempt(at, operation, { id }, async () => {
      const done = await (operation === "complete" ? at.team.tasks.complete(id) : at.team.tasks.release(id, me));
      return { result: done === false ? null : true };
    });
  },
  async edge(at) {
    const [a, b] = [1 + below(at.highest), 1 + below(at.highest)];
    const [blocker, waiting] = (random() < 0.9 ? [Math.min(a, b), Math.max(a, b)] : [a, b]).map(String);
    const [id, change] = random() < 0.5 ? [waiting, { addBlockedBy: [blocker] }] : [blocker, { addBlocks: [waiting] }];
    await attempt(at, "edge", { blocker, waiting }, async () => {
      await at.team.tasks.update(id, change);
      return { result: null };
    });
  },
  async remove(at) {
    const [id] = at.created.splice(below(at.created.length), 1);
    if (id === undefined) return;
    await attempt(at, "remove", { id }, async () => ({ result: await at.team.tasks.remove(id) }));
  },
  async join(at) {
    const name = `g${nextTag().replaceAll(".", "-")}`;
    const draft = { agentType: "general-purpose", model: "m", prompt: "go", joinedAt: 1, cwd: "/" };
    const joined = await attempt(at, "join", { name }, async () => {
      await at.team.join({ name, ...draft });
      return { result: true };
    });
    if (joined) at.guests.push(name);
  },
  async leave(at) {
    const name = at.guests.pop();
    if (name) await attempt(at, "leave", { name }, async () => ({ result: await at.team.leave(name) }));
  },
};

function assertWhole(text) {
  const [, length, filler] = text.split(" ");
  if (filler?.length === Number(length)) return;
  throw Object.assign(new Error(`a message of ${length} characters has ${filler?.length}`), { code: "torn" });
}

process.emit("armed");
const weights = { send: 30, consume: 12, create: 8, claim: 14, finish: 14, edge: 8, remove: 4, join: 4, leave: 4 };
while (nowUs() < untilUs) {
  await operations[pick(random, weights)](teams[below(teams.length)]);
  if (random() < 0.3) await sleep(below(4));
}
