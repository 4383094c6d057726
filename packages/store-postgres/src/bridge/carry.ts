import { readdirSync } from "node:fs";
import { inboxOwnerOf, isTroupeError, messageOf, type TroupeError } from "@troupe/protocol";
import { asleep, type Change, isUnavailable } from "@troupe/store";
import { beat } from "./host.ts";
import type { Link } from "./link.ts";
import { carryMail } from "./mail.ts";
import { tendOffers, withhold } from "./offers.ts";
import { carryMembers } from "./roster.ts";
import { carryTask, tasksOf } from "./tasks.ts";
import { openTurns } from "./turns.ts";

/** What has to be carried, by name: `config`, `inbox NAME`, `task ID`. */
const nameOf = (change: Change): string =>
  change.kind === "inbox" ? `inbox ${change.name}` : change.kind === "task" ? `task ${change.id}` : "config";

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
  const [kind, name = ""] = what.split(" ", 2);
  if (kind === "config") return carryMembers(link);
  if (kind === "inbox") await carryMail(link, what.slice("inbox ".length));
  else await link.inTurn<unknown>(() => (kind === "task" ? carryTask(link, name) : tendOffers(link)));
  return [];
}

/** All that there is to be carried, besides the config. */
const everything = async (link: Link): Promise<readonly string[]> => [
  ...(await inboxesOf(link)).map((name) => `inbox ${name}`),
  ...(await tasksOf(link)).map((id) => `task ${id}`),
  "offers",
];

/** What is left of a team after everything was tried. */
export interface Carried {
  /** How many changes of the files wait to be sent. */
  readonly unsent: number;
  readonly problems: readonly string[];
}

/** Everything once. */
export async function carryAll(link: Link): Promise<Carried> {
  const problems = [...(await carry(link, "config"))];
  for (const what of await everything(link)) {
    try {
      problems.push(...(await carry(link, what)));
    } catch (error) {
      if (isTroupeError(error) && error.code === "lease_lost") throw error;
      problems.push(`${what}: ${messageOf(error)}`);
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
  let heardAt = performance.now();
  const end = (error: unknown): void => {
    lost = error;
    over.abort();
  };

  const turns = openTurns(async (what) => {
    try {
      const { homes, members } = link;
      problems.set(what, what === "everything" ? await askForAll() : await carry(link, what));
      // Who has come or moved has mail to be carried.
      if (what === "config" && !(isEqual(homes, link.homes) && isEqual(members, link.members))) turns.ask("everything");
    } catch (error) {
      if (until.aborted) return;
      if (!isLost(error)) problems.set(what, [`${what}: ${messageOf(error)}`]);
      // A team that has ended takes the lease along: which of the two it is the config says.
      else if (what !== "config") turns.ask("config");
      else end(error.code === "lease_lost" ? error : undefined);
    }
  }, until);

  async function askForAll(): Promise<readonly string[]> {
    for (const what of await everything(link)) turns.ask(what);
    return [];
  }

  async function hear(changes: AsyncIterable<Change>): Promise<void> {
    for await (const change of changes) {
      turns.ask(nameOf(change));
      if (change.kind !== "inbox") turns.ask("offers");
    }
  }

  async function keepTime(): Promise<void> {
    for (await asleep(beatMs, until); !until.aborted; await asleep(beatMs, until)) {
      const found = [...problems.values()].flat();
      if (JSON.stringify(found) !== told) {
        told = JSON.stringify(found);
        tell(found);
      }
      try {
        await pulse(link, found);
        heardAt = performance.now();
      } catch (error) {
        if (isLost(error)) turns.ask("config");
        else if (!isUnavailable(error)) return end(error);
        else if (performance.now() - heardAt > link.limits.silentMs / 2) await link.inTurn(() => withhold(link));
      }
      turns.ask("offers");
      // What failed may go now.
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

const isLost = (error: unknown): error is TroupeError =>
  isTroupeError(error) && (error.code === "lease_lost" || error.code === "team_unknown");

const isEqual = <T>(a: Iterable<T>, b: Iterable<T>): boolean => JSON.stringify([...a]) === JSON.stringify([...b]);
