import type { Check, CheckContext } from "../check.ts";
import { goesAhead } from "../concurrency/crew.ts";
import { checkFailure } from "../fault.ts";
import type { Proc } from "../target.ts";
import { recoveryMs } from "./killing.ts";
import { assertKept, type Holder, prepareLong, stopHolding } from "./stopped-holder.ts";

const methods = ["team.create", "member.add", "inbox.append"];

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
    const { team, agents } = await prepareLong(context, 3);
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
    const { team, agents } = await prepareLong(context, 4);
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
