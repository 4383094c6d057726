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
  /**
   * Ends what runs, with its pane, and removes the record; false where a lead has taken it over
   * since.
   */
  end(orphan: Orphan): Promise<boolean>;
}

/** Time to end by itself. */
const graceMs = 2_000;

export function openOrphans({ records: directory, ...place }: OrphansDeps): Orphans {
  const records = openRecords(directory);
  const tmuxOf = clientsIn(place);

  async function orphanOf(record: BackendRecord): Promise<Orphan | undefined> {
    if (!(await hasEnded(record.lead))) return undefined;
    const runs = record.process !== undefined && (await isRunning(record.process));
    return { record, path: records.file(record, "json"), isRunning: runs };
  }

  return {
    async find() {
      const { records: all, problems } = records.all();
      const found = await Promise.all(all.map(orphanOf));
      return { orphans: found.flatMap((one) => one ?? []), problems };
    },

    async end({ record: { mark } }) {
      const record = records.all().records.find((one) => one.mark === mark);
      if (!record || !(await hasEnded(record.lead))) return false;
      await (record.backend === "tmux" ? endPane(tmuxOf(record), record, graceMs) : endAll(record, graceMs));
      records.end(record);
      return true;
    },
  };
}
