import { leadOf, nameKey } from "@troupe/protocol";
import { fileOf, markTaken, type TaskRows } from "../task-rows.ts";
import { type Link, livesHere, rowsOf, within } from "./link.ts";
import { isMark, markOf, sharedMark, withOwner } from "./task-merge.ts";
import { endOffer, fileSide, holdShared, offer, setMark, writeFile } from "./task-sides.ts";
import { carryTask } from "./tasks.ts";

interface OfferRow {
  readonly id: string;
  readonly wanted_by: string | null;
  readonly age: number;
}

/**
 * Sees to it that as many tasks may be claimed in these files as there are teammates here without
 * one. What is too much, is asked for elsewhere or lay unused goes back.
 */
export async function tendOffers(link: Link): Promise<void> {
  const { passed, limits } = link;
  await endSilent(link, limits.silentMs);
  const mine = await link.database.query<OfferRow>(
    `select task::text as id, wanted_by, 1000 * extract(epoch from clock_timestamp() - since)::float8 as age
     from bridge_offer where list = $1 and host = $2 order by task`,
    [link.row.list, link.host],
  );
  const idle = await idleHere(link);
  const surplus = new Set(mine.slice(idle).map(({ id }) => id));
  let kept = 0;
  for (const { id, wanted_by: by, age } of mine) {
    if (by === null && !surplus.has(id) && age < limits.unusedMs) kept += 1;
    else if (await giveUp(link, id, by)) passed.set(id, performance.now() + limits.unusedMs);
  }
  for (const [id, until] of passed) if (until < performance.now()) passed.delete(id);
  if (idle > kept) await takeReady(link, idle - kept, [...passed.keys()]);
}

/** Teammates that live here and have nothing in hand. */
async function idleHere(link: Link): Promise<number> {
  const { value } = await link.local.config();
  if (!value) return 0;
  const lead = leadOf(value)?.name;
  const mates = value.members.filter(({ name }) => name !== lead && livesHere(link, name));
  const { tasks } = await link.local.tasks.list();
  const busy = new Set(tasks.flatMap(({ owner, status }) => (owner && status === "in_progress" ? nameKey(owner) : [])));
  return mates.filter(({ name }) => !busy.has(nameKey(name))).length;
}

/**
 * Takes an offer back from the files, under their lock, and gives it to the host that wants it, or
 * to the first that comes. False where it was claimed here before.
 */
async function giveUp(link: Link, id: string, to: string | null): Promise<boolean> {
  const mark = to === null ? sharedMark : markOf(to);
  const file = fileSide(link, id);
  if (file) {
    const isFree = file.doc["status"] === "pending" && (!file.doc["owner"] || isMark(file.doc["owner"]));
    const isBack = isFree && (await writeFile(link, id, file.text, withOwner(file.doc, mark)));
    if (!isBack) {
      await carryTask(link, id);
      return false;
    }
  }
  await within(link, async (transaction) => {
    const rows = rowsOf(link, transaction);
    const found = await holdShared(rows, id);
    if (found?.doc["owner"] === markOf(link.host)) await passOn(rows, found.around, id, to);
    else await endOffer(rows, id);
  });
  await carryTask(link, id);
  return true;
}

async function passOn(rows: TaskRows, around: Parameters<typeof setMark>[1], id: string, to: string | null) {
  await setMark(rows, around, id, to === null ? undefined : markOf(to));
  await (to === null ? endOffer(rows, id) : offer(rows, id, to));
}

/** Offers the files some of the tasks that can be claimed now, lowest first. */
async function takeReady(link: Link, count: number, passed: readonly string[]): Promise<void> {
  const taken = await within(link, async (transaction) => {
    const rows = rowsOf(link, transaction);
    const found = await transaction.query<{ id: string; doc: string }>(
      `select id, doc::text from task where list = $1 and is_ready and id <> all($2::bigint[])
       order by id limit $3 for update skip locked`,
      [rows.list, passed, count],
    );
    for (const row of found) {
      const doc = link.codec.amendTask(fileOf(link.codec, row).read, { owner: markOf(link.host) });
      await transaction.query(markTaken, [rows.list, row.id, link.codec.write(doc)]);
      await offer(rows, row.id, link.host);
    }
    if (found.length > 0) rows.wake();
    return found.map(({ id }) => id);
  });
  for (const id of taken) await carryTask(link, id);
}

/**
 * Takes all offers back from the files: a host that does not hear of the database for long must
 * expect that others have them.
 */
export async function withhold(link: Link): Promise<void> {
  for (const { id } of await link.local.tasks.ready()) {
    const file = fileSide(link, id);
    if (file && !file.doc["owner"]) await writeFile(link, id, file.text, withOwner(file.doc, markOf(link.host)));
  }
}

/** A host that is silent for long may have lost its files, or its disk: others go on. */
async function endSilent(link: Link, silentMs: number): Promise<void> {
  const { database, row, host } = link;
  const silent = `select o.task::text as id from bridge_offer o left join bridge_host h on h.team = $2 and h.host = o.host
    where o.list = $1 and o.host <> $3 and (h.heard_at is null or h.heard_at < clock_timestamp() - $4 * interval '1 millisecond')`;
  const values = [row.list, row.id, host, silentMs];
  for (const { id } of await database.query<{ id: string }>(silent, values))
    await within(link, async (transaction) => {
      const rows = rowsOf(link, transaction);
      const found = await holdShared(rows, id);
      const still = await transaction.query<{ id: string }>(`${silent} and o.task = $5`, [...values, id]);
      if (still.length === 0) return;
      if (found && isMark(found.doc["owner"])) await setMark(rows, found.around, id, undefined);
      await endOffer(rows, id);
    });
}
