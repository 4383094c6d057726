import { setTimeout as delay } from "node:timers/promises";
import { hasEnded } from "@troupe/process";
import { type BackendRecord, openRecords } from "./records.ts";
import { endAll, isRunning } from "./running.ts";
import { clientsIn, type PlaceDeps } from "./tmux/client.ts";
import { endPane } from "./tmux/panes.ts";

export interface OrphansDeps extends PlaceDeps {
  /** The directory of the records of all backends. */
  readonly records: string;
}

/** What is left of a teammate whose lead is dead. */
export interface Orphan {
  readonly record: BackendRecord;
  /** Its file. */
  readonly path: string;
  /** The teammate runs on; of one in its lead's process there is only the record. */
  readonly isRunning: boolean;
}

/** Teammates of every backend whose lead has ended, and no other goes on with them. */
export interface Orphans {
  /** Records that cannot be read are named among the problems. */
  find(): Promise<{ readonly orphans: readonly Orphan[]; readonly problems: readonly string[] }>;
  /** What was started for a team, with a lead or without. */
  startedFor(team: string): Promise<readonly Orphan[]>;
  /** What runs of that. */
  runningOf(team: string): Promise<readonly Orphan[]>;
  /** Resolves once it has ended by itself, or after this time. */
  ended(orphan: Orphan, withinMs: number): Promise<void>;
  /**
   * Ends what runs, with its pane, and removes the record; false where a lead has taken it over
   * since, unless that is overridden.
   */
  end(orphan: Orphan, options?: { readonly evenIfLed?: boolean }): Promise<boolean>;
}

/** Time to end by itself. */
const graceMs = 2_000;
const lookMs = 100;

export function openOrphans({ records: directory, ...place }: OrphansDeps): Orphans {
  const records = openRecords(directory);
  const tmuxOf = clientsIn(place);

  const runs = async ({ process }: BackendRecord) => process !== undefined && (await isRunning(process));
  const lookAt = async (record: BackendRecord): Promise<Orphan> => ({
    record,
    path: records.file(record, "json"),
    isRunning: await runs(record),
  });
  const orphanOf = async (record: BackendRecord) => ((await hasEnded(record.lead)) ? lookAt(record) : []);

  const startedFor = (team: string) =>
    Promise.all(
      records
        .all()
        .records.filter((one) => one.team === team)
        .map(lookAt),
    );

  return {
    startedFor,

    async find() {
      const { records: all, problems } = records.all();
      const found = await Promise.all(all.map(orphanOf));
      return { orphans: found.flat(), problems };
    },

    runningOf: async (team) => (await startedFor(team)).filter((one) => one.isRunning),

    async ended({ record }, withinMs) {
      const end = Date.now() + withinMs;
      while (Date.now() < end && (await runs(record))) await delay(lookMs);
    },

    async end({ record: { mark } }, { evenIfLed = false } = {}) {
      const record = records.all().records.find((one) => one.mark === mark);
      if (!record || !(evenIfLed || (await hasEnded(record.lead)))) return false;
      await (record.backend === "tmux" ? endPane(tmuxOf(record), record, graceMs) : endAll(record, graceMs));
      records.end(record);
      return true;
    },
  };
}
