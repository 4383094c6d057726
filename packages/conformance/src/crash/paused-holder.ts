import { existsSync } from "node:fs";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import type { Check, CheckContext } from "../check.ts";
import { makeTeam } from "../checks/teams.ts";
import { goesAhead } from "../concurrency/crew.ts";
import { entriesAt, placesOf, textsIn } from "../concurrency/documents.ts";
import { conventionOf } from "../concurrency/foreign-lock.ts";
import { writeLongInbox } from "../concurrency/inbox-races.ts";
import { checkFailure, untestable } from "../fault.ts";
import type { Proc, Reply } from "../target.ts";
import { recoveryMs } from "./killing.ts";

/** A process stopped or killed while it held the lock of an agent's inbox, and its pending call. */
interface Holder {
  readonly agent: string;
  readonly proc: Proc;
  readonly text: string;
  readonly reply: Promise<Reply>;
  /** Texts that were acknowledged before. */
  readonly sent: readonly string[];
}

const methods = ["team.create", "member.add", "inbox.append"];

/** Inboxes so long that a writer holds their locks for a while. */
async function prepare(context: CheckContext, count: number): Promise<{ team: string; agents: readonly string[] }> {
  const agents = Array.from({ length: count }, (_, index) => `a${index}`);
  const { team } = await makeTeam(context, ["bob", ...agents]);
  for (const agent of agents) writeLongInbox(placesOf(context), agent, context.isQuick ? 1_000 : 4_000);
  return { team, agents };
}

/** Lets a process append until it is caught with the lock in its hand, and stops it there. */
async function stopHolding(context: CheckContext, team: string, agent: string): Promise<Holder> {
  const lock = conventionOf(context.declaration).lockOf(placesOf(context).inbox(agent));
  const [proc] = await context.start(1);
  if (!proc) throw new Error("no process was started");
  const sent: string[] = [];
  for (let number = 0; number < 300; number += 1) {
    const text = `${agent} hears ${proc.index}-${number}`;
    let isOver = false;
    const reply = proc.call("inbox.append", { team, agent, from: "bob", text }).finally(() => {
      isOver = true;
    });
    reply.catch(() => {});
    while (!isOver && !existsSync(lock)) await turn();
    for (
      const end = performance.now() + 2 * context.random();
      !isOver && performance.now() < end && existsSync(lock);
    );
    proc.pause();
    // A stopped process may still be on its way into its sleep.
    await pause(20);
    if (existsSync(lock)) return { agent, proc, text, reply, sent };
    proc.resume();
    if ((await reply).outcome === "ok") sent.push(text);
  }
  assertKept(context, { agent, sent }, []);
  throw untestable("no process could be stopped while it held a lock");
}

const writersOf = async (context: CheckContext, holders: readonly Holder[]) =>
  Promise.all(holders.map(async ({ agent }) => ({ agent, proc: (await context.start(1))[0] as Proc })));

/** Sends with another process past each holder, within its own time; returns the texts in order. */
async function takeOver(context: CheckContext, team: string, holders: readonly Holder[]): Promise<readonly string[]> {
  const writers = await writersOf(context, holders);
  return Promise.all(
    writers.map(async ({ agent, proc }) => {
      const params = { team, agent, from: "bob", text: `${agent} hears ${proc.index}` };
      const complaint = "a lock that was left behind is not taken over";
      await goesAhead(proc, "inbox.append", params, recoveryMs(context), complaint);
      return params.text;
    }),
  );
}

function assertKept(
  context: CheckContext,
  { agent, sent }: Pick<Holder, "agent" | "sent">,
  others: readonly string[],
): readonly string[] {
  const found = textsIn(entriesAt(context, placesOf(context).inbox(agent)));
  const lost = [...sent, ...others].filter((text) => !found.includes(text));
  if (lost.length === 0) return found;
  throw checkFailure(`${lost.length} messages that were acknowledged are overwritten`, {
    expected: lost,
    actual: found.slice(-5),
  });
}

const killedHolder: Check = {
  id: "STALE/c",
  title:
    "the lock of a process that was killed is taken over once its time has passed, and what was acknowledged stays",
  requirements: ["ATP-LCK-006"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods },
  isSlow: true,
  async run(context) {
    const { team, agents } = await prepare(context, 3);
    const holders = await Promise.all(agents.map((agent) => stopHolding(context, team, agent)));
    await Promise.all(holders.map(({ proc }) => proc.kill()));
    const begin = performance.now();
    const texts = await takeOver(context, team, holders);
    for (const [index, holder] of holders.entries()) assertKept(context, holder, [texts[index] ?? ""]);
    return { ms: Math.round(performance.now() - begin) };
  },
};

const pausedHolder: Check = {
  id: "PAUSED/a",
  title: "a process that was stopped with a lock for longer than the limit overwrites nothing when it wakes",
  requirements: ["ATP-LCK-008"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods },
  isSlow: true,
  async run(context) {
    const rounds = 3;
    const { team, agents } = await prepare(context, 4);
    const outcomes: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const holders = await Promise.all(agents.map((agent) => stopHolding(context, team, agent)));
      const texts = await takeOver(context, team, holders);
      for (const { proc } of holders) proc.resume();
      for (const [index, holder] of holders.entries()) {
        const { outcome } = await holder.reply;
        outcomes.push(outcome);
        const kept = [texts[index] ?? "", ...(outcome === "ok" ? [holder.text] : [])];
        const found = assertKept(context, holder, kept);
        const times = found.filter((text) => text === holder.text).length;
        if (times > 1) throw checkFailure("a message was sent once and is there twice", { actual: holder.text });
        await holder.proc.end();
      }
    }
    return { outcomes };
  },
};

export const pausedHolderChecks: readonly Check[] = [killedHolder, pausedHolder];
