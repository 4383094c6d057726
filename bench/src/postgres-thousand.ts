import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { atMost, type Result } from "./measure.ts";
import type { Served } from "./postgres-server.ts";
import { teamOf } from "./postgres-server.ts";

const worker = fileURLToPath(new URL("postgres-members-worker.js", import.meta.url));
const [teams, each, processes] = [20, 50, 10];

/** What the members of one process saw. */
export interface Lives {
  readonly sent: readonly string[];
  readonly got: readonly string[];
  readonly claimed: readonly string[];
  readonly failures: readonly string[];
  /** Milliseconds. */
  readonly sending: readonly number[];
  readonly arriving: readonly number[];
}

/**
 * A thousand members in ten processes, twenty teams of fifty: each writes to another once in ten
 * seconds, reads what it is told, and takes a task now and then.
 */
export async function thousandOf({ url, bare }: Served, seconds: number): Promise<Record<string, Result>> {
  const names = Array.from({ length: each }, (_, n) => `m${n}`);
  for (let n = 0; n < teams; n += 1) await (await teamOf(url, `thousand-${n}`, names)).store.close();
  const begin = Date.now() + 5_000;
  const lives = await Promise.all(
    Array.from({ length: processes }, async (_, part) => {
      const plan = { url, teams, each, processes, part, begin, until: begin + seconds * 1_000 };
      const child = spawn(process.execPath, [worker, JSON.stringify(plan)], { stdio: ["ignore", "pipe", "inherit"] });
      let text = "";
      child.stdout.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      await once(child, "close");
      return JSON.parse(text) as Lives;
    }),
  );
  const all = <K extends keyof Lives>(key: K) => lives.flatMap((life) => [...life[key]]) as Lives[K][number][];
  const [sent, got, claimed] = [new Set(all("sent")), all("got"), all("claimed")];
  const taken = new Set(got);
  const lost = [...sent].filter((id) => !taken.has(id)).length;
  const doubled = got.length - taken.size + (claimed.length - new Set(claimed).size);
  for (const failure of new Set(all("failures"))) console.error(`postgres.thousand: ${failure}`);
  const { rows } = await bare.query(
    "select count(*)::int as open from pg_stat_activity where application_name like 'troupe%'",
  );
  console.error(
    `postgres.thousand: ${seconds} s, ${sent.size} messages, ${claimed.length} tasks, ${rows[0]?.open} connections left; ` +
      `a send ${spread(all("sending"))} ms, from its begin until the receiver has it ${spread(all("arriving"))} ms`,
  );
  return {
    "postgres.thousand": atMost(0, [lost + doubled + all("failures").length]),
    "postgres.thousand-arrival": atMost(1_000, [at(all("arriving"), 0.95)]),
  };
}

const at = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;

const spread = (values: readonly number[]): string =>
  [0.5, 0.95, 0.99].map((part) => Math.round(at(values, part) * 10) / 10).join(", ");
