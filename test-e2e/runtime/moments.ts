import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { start } from "../store/processes.ts";
import { randomFrom } from "../store/soak/random.mjs";

/** When an agent is to be killed. */
export type Moment =
  /**
   * By itself, at the nth write of its journal; the share of the bytes that are on disk by then.
   */
  | { readonly write: { readonly place: "before" | "in" | "after"; readonly nth: number; readonly share: number } }
  /** By its parent, some time after it was the nth time at this. */
  | { readonly at: "a model request" | "a tool run"; readonly nth: number; readonly afterMs: number };

/**
 * As many moments as there are kills, for one agent after the other; three of five lie in writes of
 * the journal.
 */
export function momentsOf(seed: number, kills: number): readonly (readonly Moment[])[] {
  const random = randomFrom(seed);
  const upTo = (most: number) => 1 + Math.floor(random() * most);
  const atWrite = (place: "before" | "in" | "after") => (): Moment => ({
    // A sixth of the torn lines lack their end alone.
    write: { place, nth: upTo(12), share: Math.min(1, random() * 1.2) },
  });
  const during = (at: "a model request" | "a tool run") => (): Moment => ({
    at,
    nth: upTo(3),
    afterMs: random() * 5,
  });
  const kinds = [atWrite("before"), during("a model request"), atWrite("in"), during("a tool run"), atWrite("after")];
  const agents = Math.ceil(kills / perAgent);
  return Array.from({ length: agents }, (_, agent) =>
    Array.from({ length: Math.min(perAgent, kills - agent * perAgent) }, (_, n) =>
      (kinds[(n + agent) % kinds.length] ?? atWrite("in"))(),
    ),
  );
}

/** An agent that is killed every other turn is soon done. */
const perAgent = 10;

/** Runs this program until it is killed at that moment, or ends without having reached it. */
export async function runUntil(program: string, moment: Moment | undefined, options: object) {
  const write = moment && "write" in moment ? moment.write : undefined;
  const { child, heard, said } = start(join(import.meta.dirname, program), { ...options, write });
  if (moment && "at" in moment) {
    const reached = heard(new RegExp(`^at ${moment.at}$`), moment.nth).then(() => sleep(moment.afterMs));
    await reached.then(
      () => child.kill("SIGKILL"),
      () => {},
    );
  }
  const lines = await said;
  return { lines, isKilled: child.signalCode === "SIGKILL" };
}
