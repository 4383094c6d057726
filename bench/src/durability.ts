import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codecFor } from "@troupe/protocol";
import { openInbox } from "@troupe/store/files";
import { atMost, type Result, roundsOf } from "./measure.ts";

const codec = codecFor("2026-02");
const entry = () =>
  codec.newEntry({
    from: { name: "alice", color: "blue" },
    content: { text: "x".repeat(300), summary: "s" },
    timestamp: "2026-02-13T10:45:20.631Z",
    messageId: crypto.randomUUID(),
  });

/**
 * P8: what a send costs that survives a power cut, against the four calls that make any file do so.
 */
export async function durability(): Promise<Record<string, Result>> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  const path = join(folder, "inbox.json");
  const ten = codec.write(Array.from({ length: 10 }, entry));
  const inbox = openInbox({ path, codec, isDurable: true });
  const median = async (work: () => unknown) => {
    const costs: number[] = [];
    for (let done = 0; done < 30; done += 1) {
      writeFileSync(path, ten);
      const start = performance.now();
      await work();
      costs.push(performance.now() - start);
    }
    return costs.sort((a, b) => a - b)[15] ?? Number.NaN;
  };
  try {
    const sends = await roundsOf(
      async () => (await median(() => inbox.append(entry()))) / (await median(() => bare(folder, path, ten))),
    );
    const groups = await roundsOf(async () => {
      writeFileSync(path, ten);
      const files = new Set<number>();
      const send = async () => {
        await inbox.append(entry());
        files.add(statSync(path).ino);
      };
      await Promise.all(Array.from({ length: 100 }, send));
      return files.size;
    });
    return { "P8.send": atMost(1.5, sends), "P8.groups": atMost(10, [Math.max(...groups)]) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Write, flush, rename, flush the directory. */
function bare(folder: string, path: string, text: string): void {
  const temporary = join(folder, "bare.tmp");
  const file = openSync(temporary, "w");
  writeSync(file, text);
  fdatasyncSync(file);
  closeSync(file);
  renameSync(temporary, path);
  const directory = openSync(folder, "r");
  fsyncSync(directory);
  closeSync(directory);
}
