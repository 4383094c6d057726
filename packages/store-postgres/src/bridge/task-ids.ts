import { readdirSync } from "node:fs";
import { taskIdOf } from "@troupe/protocol";
import { publish, readNamedFile, withLock } from "@troupe/store/files";
import { only } from "../database.ts";
import { holdList } from "../task-rows.ts";
import { type Link, rowsOf, within } from "./link.ts";

/** So many ids are set apart at once for what clients of files create. */
const blockSize = 1_000;
/** Below this are the ids that the database gives by itself. */
const lowest = 10_000;

/** The highest id that stands in the files or was given there. */
export function highestIn({ layout }: Pick<Link, "layout">): number {
  const names = attempt(() => readdirSync(layout.tasks)) ?? [];
  const text = attempt(() => new TextDecoder().decode(readNamedFile(layout.highWaterMark))) ?? "";
  return Math.max(0, Number.parseInt(text, 10) || 0, ...names.map((name) => Number(taskIdOf(name) ?? 0)));
}

/**
 * Makes sure that the next id that clients of the files give is set apart for them, also once a
 * task of this id stands there.
 */
export async function setApart(link: Link, coming = 0): Promise<void> {
  const { layout, row, host } = link;
  const mine =
    "select first::float8 as first, last::float8 as last from bridge_ids where list = $1 and host = $2 order by first desc limit 1";
  const find = async () => (await link.database.query<Block>(mine, [row.list, host]))[0];
  let block = await find();
  if (!block) await keepFrom(link, highestIn(link));
  if (!block || Math.max(highestIn(link), coming) > block.last - blockSize / 10 || coming >= block.first)
    block = await newBlock(link, Math.max(highestIn(link), coming));
  const { first } = block;
  if (highestIn(link) >= first - 1) return;
  await withLock(layout.taskLock, (held) => {
    if (highestIn(link) < first - 1) publish(held, layout.highWaterMark, String(first - 1));
  });
}

/** What stood in the files before has its ids, also where the database is never shown it. */
const keepFrom = (link: Link, highest: number): Promise<unknown> =>
  within(link, ({ query }) =>
    query("update task_list set next_task = greatest(next_task, $2::bigint) where id = $1", [
      link.row.list,
      highest + 1,
    ]),
  );

interface Block {
  readonly first: number;
  readonly last: number;
}

/** Ids above this one and above all that were given or set apart anywhere. */
const newBlock = (link: Link, above: number): Promise<Block> =>
  within(link, async (transaction) => {
    await holdList(rowsOf(link, transaction));
    return only(
      await transaction.query<Block>(
        `insert into bridge_ids (list, first, last, host)
         select $1, top * $4::bigint + 1, (top + 1) * $4::bigint, $2 from (
           select (greatest((select max(last) from bridge_ids where list = $1), $3::bigint, $5::bigint,
                            (select next_task from task_list where id = $1)) + $4::bigint - 1) / $4::bigint as top) as t
         returning first::float8 as first, last::float8 as last`,
        [link.row.list, link.host, above, blockSize, lowest],
      ),
    );
  });

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
