import { existsSync, rmSync } from "node:fs";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import type { CheckContext } from "../check.ts";
import { makeTeam } from "../checks/teams.ts";
import { entriesAt, placesOf, textsIn } from "../concurrency/documents.ts";
import { conventionOf } from "../concurrency/foreign-lock.ts";
import { writeLongInbox } from "../concurrency/inbox-races.ts";
import { checkFailure, untestable } from "../fault.ts";
import type { Proc, Reply } from "../target.ts";

/** A process stopped or killed while it held the lock of an agent's inbox, and its pending call. */
export interface Holder {
  readonly agent: string;
  readonly proc: Proc;
  readonly text: string;
  readonly reply: Promise<Reply>;
  /** Texts that were acknowledged before. */
  readonly sent: readonly string[];
}

/** Inboxes so long that a writer holds their locks for a while. */
export async function prepareLong(
  context: CheckContext,
  count: number,
): Promise<{ team: string; agents: readonly string[] }> {
  const agents = Array.from({ length: count }, (_, index) => `a${index}`);
  const { team } = await makeTeam(context, ["bob", ...agents]);
  for (const agent of agents) writeLongInbox(placesOf(context), agent, context.isQuick ? 1_000 : 4_000);
  return { team, agents };
}

/** Lets a process append until it is caught with the lock in its hand, and stops it there. */
export async function stopHolding(context: CheckContext, team: string, agent: string): Promise<Holder> {
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

/** Takes a lock away as one does that has found it left behind. */
export const takeOut = (lock: string): void => rmSync(lock, { recursive: true });

export function assertKept(
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
