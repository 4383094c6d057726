import { readdirSync } from "node:fs";
import { inboxOwnerOf, isTroupeError, messageOf } from "@troupe/protocol";
import { asleep, type Change, isUnavailable } from "@troupe/store";
import { beat } from "./host.ts";
import type { Link } from "./link.ts";
import { carryMail } from "./mail.ts";
import { carryMembers } from "./roster.ts";
import { openTurns } from "./turns.ts";

/** What has to be carried, by name: `config`, `inbox NAME`. */
const nameOf = (change: Change): string | undefined =>
  change.kind === "inbox" ? `inbox ${change.name}` : change.kind === "config" ? "config" : undefined;

const beatMs = 2_000;

/** All inboxes that either side has. */
async function inboxesOf({ database, row, layout }: Link): Promise<readonly string[]> {
  const rows = await database.query<{ name: string }>("select name from inbox where team = $1", [row.id]);
  let files: readonly string[] = [];
  try {
    files = readdirSync(layout.inboxes).flatMap((file) => inboxOwnerOf(file) ?? []);
  } catch {
    // There is none before the first message.
  }
  return [...new Set([...rows.map(({ name }) => name), ...files])];
}

async function carry(link: Link, what: string): Promise<readonly string[]> {
  if (what === "config") return carryMembers(link);
  await carryMail(link, what.slice("inbox ".length));
  return [];
}

/** What is left of a team after everything was tried. */
export interface Carried {
  /** How many changes of the files wait to be sent. */
  readonly unsent: number;
  readonly problems: readonly string[];
}

/** Everything once. */
export async function carryAll(link: Link): Promise<Carried> {
  const problems = [...(await carry(link, "config"))];
  for (const name of await inboxesOf(link)) {
    try {
      await carryMail(link, name);
    } catch (error) {
      if (isTroupeError(error) && error.code === "lease_lost") throw error;
      problems.push(`mail of ${name}: ${messageOf(error)}`);
    }
  }
  await pulse(link, problems);
  return { unsent: unsentOf(link), problems };
}

const unsentOf = ({ unsent }: Link): number => [...unsent.values()].reduce((sum, count) => sum + count, 0);

async function pulse(link: Link, problems: readonly string[]): Promise<void> {
  const unsent = unsentOf(link);
  const kept = { host: link.host, unsent, problems };
  try {
    const heardAt = await beat(link, unsent, problems);
    link.memory.pulse.keep({ ...kept, heardAt: heardAt.toISOString() });
  } catch (error) {
    link.memory.pulse.keep({ ...kept, heardAt: link.memory.pulse.read()?.heardAt ?? null });
    throw error;
  }
}

/** Carries what changes on either side until the signal fires. */
export async function follow(
  link: Link,
  signal: AbortSignal,
  tell: (problems: readonly string[]) => void,
): Promise<void> {
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const problems = new Map<string, readonly string[]>();
  let told = "[]";
  let lost: unknown;

  const turns = openTurns(async (what) => {
    try {
      const homes = link.homes;
      problems.set(what, what === "everything" ? await askForAll() : await carry(link, what));
      // Who has come or moved has mail to be carried.
      if (what === "config" && !isEqual(homes, link.homes)) turns.ask("everything");
      return true;
    } catch (error) {
      if (until.aborted) return true;
      if (isTroupeError(error) && error.code === "lease_lost") {
        lost = error;
        over.abort();
        return true;
      }
      problems.set(what, [`${what}: ${messageOf(error)}`]);
      return !isUnavailable(error);
    }
  }, until);

  async function askForAll(): Promise<readonly string[]> {
    for (const name of await inboxesOf(link)) turns.ask(`inbox ${name}`);
    return [];
  }

  async function hear(changes: AsyncIterable<Change>): Promise<void> {
    for await (const change of changes) {
      const name = nameOf(change);
      if (name !== undefined) turns.ask(name);
    }
  }

  async function keepTime(): Promise<void> {
    for (await asleep(beatMs, until); !until.aborted; await asleep(beatMs, until)) {
      const found = [...problems.values()].flat();
      if (JSON.stringify(found) !== told) {
        told = JSON.stringify(found);
        tell(found);
      }
      await pulse(link, found).catch((error: unknown) => {
        if (isUnavailable(error)) return;
        lost = error;
        over.abort();
      });
      // What failed for another reason than the database may go now.
      for (const [what, { length }] of problems) if (length > 0) turns.ask(what);
    }
  }

  const heard = [hear(link.local.watch(until)), hear(link.shared.watch(until))];
  const timed = keepTime();
  turns.ask("config");
  turns.ask("everything");
  await Promise.all([...heard, timed]);
  await turns.settled();
  if (lost) throw lost;
}

const isEqual = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
