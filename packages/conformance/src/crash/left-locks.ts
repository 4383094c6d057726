import type { Check, CheckContext } from "../check.ts";
import { goesAhead, makeCrew, together } from "../concurrency/crew.ts";
import { entriesAt, taskAt, taskIdsIn, textsIn } from "../concurrency/documents.ts";
import { encounterMethods, prepareEncounters } from "../concurrency/encounters.ts";
import { conventionOf } from "../concurrency/foreign-lock.ts";
import { checkFailure } from "../fault.ts";
import { locksLeft, recoveryMs } from "./killing.ts";

/** Older than any limit an implementation may have taken from the reference client. */
const oldMs = (context: CheckContext): number => Math.max(context.declaration.quirks.staleMs ?? 0, 10_000) + 2_000;

const leftLock: Check = {
  id: "STALE/a",
  title: "a lock that a dead process left, older than the limit, holds nobody up for long",
  requirements: ["ATP-LCK-006"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods: encounterMethods },
  async run(context) {
    const { hold } = conventionOf(context.declaration);
    const encounters = await prepareEncounters(context);
    const procs = await context.start(encounters.length);
    const files = new Set(encounters.map(({ file }) => file));
    for (const file of files) hold(file).age(oldMs(context));
    const limitMs = recoveryMs(context);
    const begin = performance.now();
    await Promise.all(
      encounters.map(({ method, params }, index) => {
        const complaint = `${method} does not get past a lock that was left behind`;
        return goesAhead(procs[index] ?? context, method, params, limitMs, complaint);
      }),
    );
    const left = locksLeft(context);
    if (left.length > 0) throw checkFailure("a lock lies there though all calls have ended", { actual: left });
    return { ms: Math.round(performance.now() - begin) };
  },
};

const oneRecoverer: Check = {
  id: "STALE/b",
  title: "of eight who find a lock that was left behind one at a time goes on, and nothing is lost",
  requirements: ["ATP-LCK-007"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods: ["team.create", "member.add", "task.create", "inbox.append"] },
  async run(context) {
    const { hold } = conventionOf(context.declaration);
    const crew = await makeCrew(context, { others: ["alice"], isPatient: false });
    const { team, places } = crew;
    const rounds = context.isQuick ? 32 : 300;
    const limitMs = recoveryMs(context);
    const complaint = "a call does not get past a lock that was left behind";
    const subjects = new Map<string, string>();
    const sent = ["The first"];
    await context.ok("inbox.append", { team, agent: "alice", from: "w0", text: "The first" });
    for (let round = 1; round <= rounds; round += 1) {
      const isInbox = round % 2 === 0;
      const lock = hold(isInbox ? places.inbox("alice") : places.list);
      lock.age(oldMs(context));
      await together(crew, async ({ proc, name }) => {
        const text = `${name} in round ${round}`;
        if (isInbox) {
          sent.push(text);
          return goesAhead(proc, "inbox.append", { team, agent: "alice", from: name, text }, limitMs, complaint);
        }
        const params = { team, subject: text, description: "d" };
        const { id } = await goesAhead(proc, "task.create", params, limitMs, complaint);
        const other = subjects.get(String(id));
        if (other) throw checkFailure(`task ${id} was given to two`, { actual: [other, text] });
        subjects.set(String(id), text);
      });
      const found = new Set(textsIn(entriesAt(context, places.inbox("alice"))));
      const missing = sent.filter((text) => !found.has(text));
      if (missing.length > 0) throw checkFailure("messages are lost: two held the lock at once", { expected: missing });
      const wrong = taskIdsIn(places.tasks).filter(
        (id) => taskAt(context, places.task(id))["subject"] !== subjects.get(id),
      );
      if (wrong.length > 0) throw checkFailure("tasks are overwritten: two held the lock at once", { actual: wrong });
    }
    return { rounds };
  },
};

const boundedWait: Check = {
  id: "LCK-BOUND/a",
  title: "waiting for a lock that is held for ever ends in `locked`, with nothing written",
  requirements: ["ATP-LCK-014"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods: encounterMethods },
  isSlow: true,
  async run(context) {
    const { hold } = conventionOf(context.declaration);
    const encounters = await prepareEncounters(context);
    const procs = await context.start(encounters.length);
    const before = encounters.map(({ state }) => state());
    const locks = [...new Set(encounters.map(({ file }) => file))].map(hold);
    // A holder that lives keeps its lock young.
    const beat = setInterval(() => {
      for (const lock of locks) lock.age(0);
    }, 1_000);
    try {
      const replies = await Promise.all(
        encounters.map(({ method, params }, index) => procs[index]?.call(method, params)),
      );
      const wrong = replies.filter((reply) => reply?.outcome !== "fail" || reply.error.name !== "locked");
      if (wrong.length > 0)
        throw checkFailure("it was not answered with locked", { expected: "locked", actual: wrong });
      const written = encounters.filter(({ state }, index) => state() !== before[index]).map(({ method }) => method);
      if (written.length > 0) throw checkFailure("a call was refused and has written", { actual: written });
    } finally {
      clearInterval(beat);
    }
    const waits = context.history.slice(-encounters.length).map(({ call, ret = 0 }) => Math.round(ret - call));
    return { longestMs: Math.max(...waits) };
  },
};

export const leftLockChecks: readonly Check[] = [leftLock, oneRecoverer, boundedWait];
