import { existsSync, readdirSync } from "node:fs";
import { isTroupeError, messageOf, TroupeError, taskIdOf } from "@troupe/protocol";
import { inOrder } from "@troupe/protocol/rules";
import { publish, withLocks } from "@troupe/store/files";
import { type Link, rowsOf, within } from "./link.ts";
import { highestIn, setApart } from "./task-ids.ts";
import { type Common, type Doc, isMark, isNothing, type Merged, markOf, merge, shownTo } from "./task-merge.ts";
import {
  addShared,
  applyChange,
  endOffer,
  type FileSide,
  fileSide,
  holdShared,
  offer,
  removeShared,
  sharedSide,
  writeFile,
} from "./task-sides.ts";
import { tell } from "./tell.ts";

/** A task of the files whose id another has got another, and is written there first. */
interface Memo extends Common {
  readonly movedTo?: string;
}

/** So often a file that changes all the time is looked at again. */
const maxTries = 20;

/** The tasks that either side has, or that were carried before. */
export async function tasksOf(link: Link): Promise<readonly string[]> {
  const rows = await link.database.query<{ id: string }>(
    "select id::text from task where list = $1 and not is_gone order by id",
    [link.row.list],
  );
  const files = existsSync(link.layout.tasks)
    ? readdirSync(link.layout.tasks).flatMap((name) => taskIdOf(name) ?? [])
    : [];
  return inOrder([...rows.map(({ id }) => id), ...files, ...link.memory.tasks()]);
}

/**
 * Carries one task both ways. What was changed in the files goes to the database first; then the
 * file shows what that has. Gives whether something waits for another host.
 */
export async function carryTask(link: Link, id: string): Promise<boolean> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const outcome = await carryOnce(link, id);
    if (outcome !== "again") {
      link.unsent.set(`task ${id}`, outcome === "waits" ? 1 : 0);
      return outcome === "waits";
    }
  }
  throw new TroupeError("lock_unavailable", `task ${id} changes faster than it can be carried: it is tried again`);
}

type Outcome = "done" | "waits" | "again";

async function carryOnce(link: Link, id: string): Promise<Outcome> {
  const slot = link.memory.task<Memo>(id);
  const common = slot.read() ?? {};
  // A team that is being removed takes its tasks along, which nobody has deleted.
  if (!existsSync(link.layout.config) || !existsSync(link.layout.tasks)) return "done";
  const [file, shared] = [fileSide(link, id), await sharedSide(link, id)];
  if (!file) {
    if (shared === undefined || shared === "gone") return ended(() => slot.drop());
    return common.base ? remove(link, id, shared) : show(link, id, undefined, shared, common);
  }
  const isKnown = Boolean(common.base ?? common.sent ?? common.coming);
  if (!isKnown && (shared === "gone" || (shared && shared["subject"] !== file.doc["subject"])))
    return move(link, id, file, common, shared);
  if (shared === "gone") {
    await link.local.tasks.remove(id);
    return ended(() => slot.drop());
  }
  if (shared === undefined) return add(link, id, file, common);
  return join(link, id, file, shared, common);
}

const ended = (work: () => void): Outcome => {
  work();
  return "done";
};

/** A task that clients of the files created. */
async function add(link: Link, id: string, { doc }: FileSide, common: Memo): Promise<Outcome> {
  const slot = link.memory.task<Memo>(id);
  const alone = { ...doc, blocks: [], blockedBy: [] };
  slot.keep({ ...common, sent: alone });
  const isNew = await within(link, (transaction) => addShared(link, rowsOf(link, transaction), id, doc));
  if (isNew) slot.keep({ base: alone });
  else slot.drop();
  return "again";
}

async function remove(link: Link, id: string, shared: Doc): Promise<Outcome> {
  const isGone = await within(link, async (transaction) => {
    const rows = rowsOf(link, transaction);
    const found = await holdShared(rows, id);
    if (found && (await isAsked(link, rows, id, found.doc))) return false;
    await removeShared(rows, id);
    return true;
  });
  if (isGone) link.memory.task(id).drop();
  return isGone || !isMark(shared["owner"]) ? "done" : "waits";
}

/** Whether the right to change the task was asked for, as another host's clients may claim it. */
async function isAsked(link: Link, rows: ReturnType<typeof rowsOf>, id: string, { owner }: Doc): Promise<boolean> {
  if (!isMark(owner) || owner === markOf(link.host)) return false;
  // The other host is told of the task, and sees that it is wanted.
  await rows.transaction.query(
    `with wanted as (update bridge_offer set wanted_by = $3 where list = $1 and task = $2)
     update task set changed = pg_current_xact_id() where list = $1 and id = $2`,
    [rows.list, id, link.host],
  );
  rows.wake();
  return true;
}

/** Both have the task. */
async function join(link: Link, id: string, file: FileSide, shared: Doc, common: Memo): Promise<Outcome> {
  const merged = carried(link, merge(file.doc, shared, common));
  if (merged.lost.length > 0) await tellLost(link, id, file.doc, shared, merged.lost);
  if (isNothing(merged)) return show(link, id, file, shared, common);
  for (const other of [...merged.addBlocks, ...merged.addBlockedBy])
    if ((await sharedSide(link, other)) === undefined && fileSide(link, other)) await carryOnce(link, other);
  const slot = link.memory.task<Memo>(id);
  slot.keep({ ...common, sent: file.doc });
  try {
    const isSent = await within(link, async (transaction) => {
      const rows = rowsOf(link, transaction);
      const found = await holdShared(rows, id);
      if (!found) return true;
      const now = carried(link, merge(file.doc, found.doc, common));
      const isClaim = now.fields.has("owner") || now.fields.has("status");
      if (isClaim && (await isAsked(link, rows, id, found.doc))) return false;
      await applyChange(rows, id, asWritten(link, file.doc, now));
      if (isClaim) await (isFree(file.doc) ? offer(rows, id, link.host) : endOffer(rows, id));
      return true;
    });
    if (!isSent) {
      slot.keep(common);
      return "waits";
    }
  } catch (error) {
    if (!isTroupeError(error) || !refused.has(error.code)) throw error;
    // What the rules of the list do not allow gives way, as what another did before.
    await tell(link, file.doc, `Task ${id} is as it was: ${messageOf(error)}.`);
  }
  slot.keep({ base: file.doc });
  return "again";
}

const refused = new Set(["task_blocked", "task_cyclic", "task_unknown", "document_invalid"]);

const isFree = (doc: Doc): boolean => doc["status"] === "pending" && (!doc["owner"] || isMark(doc["owner"]));

/** A blocker that is done goes with its own completion, on both sides. */
function carried(link: Link, merged: Merged): Merged {
  const isOver = (id: string) => {
    const other = fileSide(link, id);
    return !other || other.doc["status"] === "completed";
  };
  return { ...merged, removeBlockedBy: merged.removeBlockedBy.filter((id) => !isOver(id)) };
}

/** A task that was given back is this host's to offer. */
function asWritten({ host }: Link, doc: Doc, merged: Merged): Merged {
  if (!isFree(doc) || !(merged.fields.has("owner") || merged.fields.has("status"))) return merged;
  return { ...merged, fields: new Map([...merged.fields, ["owner", markOf(host)], ["status", "pending"]]) };
}

/** Writes the file as the database has the task. */
async function show(link: Link, id: string, file: FileSide | undefined, shared: Doc, common: Memo): Promise<Outcome> {
  const slot = link.memory.task<Memo>(id);
  const doc = shownTo(link.host, shared);
  if (file && JSON.stringify(file.doc) === JSON.stringify(doc)) {
    if (JSON.stringify(common) !== JSON.stringify({ base: doc })) slot.keep({ base: doc });
    return "done";
  }
  if (!file) await setApart(link, Number(id));
  slot.keep({ ...common, coming: doc });
  if (!(await writeFile(link, id, file?.text, doc))) return "again";
  slot.keep({ base: doc });
  return "done";
}

/** Two tasks got one id: that of the files gets the next one there, and its author is told. */
async function move(link: Link, id: string, file: FileSide, common: Memo, shared: Doc | "gone"): Promise<Outcome> {
  const { layout, codec } = link;
  const slot = link.memory.task<Memo>(id);
  await setApart(link, Number(id));
  const to = common.movedTo ?? String(highestIn(link) + 1);
  slot.keep({ ...common, movedTo: to });
  await withLocks([layout.taskLock, layout.task(id), layout.task(to)], (held) => {
    if (!fileSide(link, to)) publish(held, layout.task(to), codec.write({ ...file.doc, id: to }));
    const there = shared === "gone" ? { ...file.doc, status: "deleted" } : shownTo(link.host, shared);
    publish(held, layout.task(id), codec.write(there));
  });
  await tell(link, file.doc, `The task "${String(file.doc["subject"])}" is #${to} now: #${id} is another one.`);
  if (shared === "gone") slot.drop();
  else slot.keep({ base: shownTo(link.host, shared) });
  return "again";
}

function tellLost(link: Link, id: string, doc: Doc, shared: Doc, lost: readonly string[]): Promise<void> {
  const owner = shared["owner"];
  const why = lost.includes("owner") ? ` It is ${typeof owner === "string" ? `${owner}'s` : "nobody's"} now.` : "";
  const what = lost.join(", ");
  return tell(link, doc, `Task ${id}: your change of ${what} came after another's and is not kept.${why}`);
}
