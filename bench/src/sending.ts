import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Codec, codecFor, type InboxEntry } from "@troupe/protocol";
import { type Inbox, openInbox, publish, withLock } from "@troupe/store/files";
import { atLeast, atMost, type Result, roundsOf } from "./measure.ts";

const codec: Codec = codecFor("2026-02");
const entry = (text = "x".repeat(300)): InboxEntry =>
  codec.newEntry({
    from: { name: "alice", color: "blue" },
    content: { text, summary: "s" },
    timestamp: "2026-02-13T10:45:20.631Z",
    messageId: crypto.randomUUID(),
  });

/**
 * P1, P3 and P5: the cost of a send, against the floor and against read, parse and rewrite under
 * the same lock.
 */
export async function sending(): Promise<Record<string, Result>> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  const path = join(folder, "inbox.json");
  const inbox = openInbox({ path, codec });
  const template = (count: number) => {
    const file = join(folder, `template-${count}`);
    writeFileSync(file, codec.write(Array.from({ length: count }, () => entry())));
    return file;
  };
  /** Milliseconds of one send into a box of the template's size: the median of some. */
  const costOf = async (file: string, send: () => Promise<unknown>, times: number) => {
    const costs: number[] = [];
    for (let done = 0; done < times; done += 1) {
      copyFileSync(file, path);
      const start = performance.now();
      await send();
      costs.push(performance.now() - start);
    }
    return costs.sort((a, b) => a - b)[Math.floor(times / 2)] ?? Number.NaN;
  };
  try {
    const [ten, thousand, tenThousand, many] = [template(10), template(1_000), template(10_000), template(100_000)];
    const ours = () => inbox.append(entry());
    const rewrite = () => readParseRewrite(path);
    const floor = async () => floorOf(folder);
    const against = (file: string, times: number, other: () => Promise<unknown>) =>
      roundsOf(async () => (await costOf(file, other, times)) / (await costOf(file, ours, times)));
    const aboveFloor = (file: string) =>
      roundsOf(async () => (await costOf(file, ours, 60)) / (await costOf(ten, floor, 60)));
    const flat = await roundsOf(async () => (await costOf(many, ours, 9)) / (await costOf(ten, ours, 60)), 3);
    const renames: number[] = [];
    const grouped = await roundsOf(async () => {
      const one = await together(inbox, path, 100, false);
      const all = await together(inbox, path, 100, true);
      renames.push(all.renames);
      return one.ms / all.ms;
    });
    return {
      "P1.10": atMost(2, await aboveFloor(ten)),
      "P1.1000": atMost(4, await aboveFloor(thousand)),
      "P3.1000": atLeast(3, await against(thousand, 40, rewrite)),
      "P3.10000": atLeast(4, await against(tenThousand, 15, rewrite)),
      "P3.flat": atMost(1.3, flat),
      "P5.renames": atMost(10, [Math.max(...renames)]),
      "P5.speed": atLeast(5, grouped),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * The floor of any safe send: the lock, a file of four kilobytes, a rename over an existing one.
 */
function floorOf(folder: string): void {
  const [lock, target, temporary] = [join(folder, "floor.lock"), join(folder, "floor"), join(folder, "floor.tmp")];
  mkdirSync(lock);
  writeFileSync(temporary, block);
  renameSync(temporary, target);
  rmdirSync(lock);
}
const block = "x".repeat(4096);

/** What published implementations do, but for the rename, which they lack. */
const readParseRewrite = (path: string): Promise<void> =>
  withLock(path, (held) => {
    const entries = JSON.parse(readFileSync(path, "utf8")) as InboxEntry[];
    entries.push(entry());
    publish(held, path, JSON.stringify(entries, null, 2));
  });

/** A hundred sends of one process, sequential or parallel, and how often the file was replaced. */
async function together(
  inbox: Inbox,
  path: string,
  count: number,
  atOnce: boolean,
): Promise<{ ms: number; renames: number }> {
  writeFileSync(path, codec.write([entry()]));
  const inodes = new Set<number>([statSync(path).ino]);
  const send = async () => {
    await inbox.append(entry());
    inodes.add(statSync(path).ino);
  };
  const start = performance.now();
  if (atOnce) await Promise.all(Array.from({ length: count }, send));
  else for (let done = 0; done < count; done += 1) await send();
  return { ms: performance.now() - start, renames: inodes.size - 1 };
}
