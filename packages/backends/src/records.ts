import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { messageOf, TroupeError } from "@troupe/protocol";
import { publishAlone, readNamedFile } from "@troupe/store/files";
import type { TeamRef } from "@troupe/team";
import { z } from "zod";

const Process = z.object({ pid: z.int().min(2), startedAt: z.string().min(1) });

const BackendRecord = z.looseObject({
  mark: z.string().regex(/^[0-9a-f]{16}$/),
  backend: z.string().min(1),
  team: z.string().min(1),
  teamCreatedAt: z.number(),
  name: z.string().min(1),
  joinedAt: z.number().optional(),
  lead: Process,
  isReady: z.boolean(),
  process: Process.optional(),
  pane: z.string().optional(),
  server: z.object({ socket: z.string(), process: Process }).optional(),
  session: z.string().optional(),
});

/** What was started for a teammate, on disk before anything of it runs. */
export interface BackendRecord extends TeamRef {
  /** Unique; also the value of `markVariable` in the environment of all that was started. */
  readonly mark: string;
  readonly backend: string;
  readonly name: string;
  /** The time of its roster entry; records of older leads have none. */
  readonly joinedAt?: number | undefined;
  /** The process of the lead that has it: who started it, or took it over. */
  readonly lead: { readonly pid: number; readonly startedAt: string };
  /** False until the teammate was at work: a spawn that was cut short is undone. */
  readonly isReady: boolean;
  /** Both values, so that a process id that was given again is nobody's. */
  readonly process?: { readonly pid: number; readonly startedAt: string } | undefined;
  readonly pane?: string | undefined;
  /** The tmux server of the pane. */
  readonly server?: { readonly socket: string; readonly process: BackendRecord["process"] & object } | undefined;
  readonly session?: string | undefined;
}

/** The variable by which processes are found that left the tree of their teammate. */
export const markVariable = "TROUPE_TEAMMATE";

/** The records of all backends in one directory; who crashed left theirs behind. */
export interface Records {
  /** The record of something that does not run yet. */
  begin(place: Pick<BackendRecord, "backend" | "team" | "teamCreatedAt" | "name" | "joinedAt" | "lead">): BackendRecord;
  amend(record: BackendRecord, patch: Partial<Omit<BackendRecord, "mark">>): BackendRecord;
  /** Nothing of it runs any more: the record goes, and every file of its own with it. */
  end(record: BackendRecord): void;
  /** The path of a further file of it. */
  file(record: BackendRecord, extension: string): string;
  /** Removes what was left by writers that were killed before they had a record, a while ago. */
  sweep(): void;
  /** Files that are no records of ours are named among the problems, and left alone. */
  all(): { readonly records: readonly BackendRecord[]; readonly problems: readonly string[] };
}

const maxRecordBytes = 64 * 1024;
/** Nobody takes this long between two steps of a write. */
const strayMs = 60_000;

export function openRecords(directory: string): Records {
  const file = ({ mark }: BackendRecord, extension: string) => join(directory, `${mark}.${extension}`);
  const write = (record: BackendRecord): BackendRecord => {
    publishAlone(file(record, "json"), `${JSON.stringify(record, null, 2)}\n`, { isDurable: true });
    return record;
  };

  return {
    begin({ backend, team, teamCreatedAt, name, joinedAt, lead }) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      assertPrivate(directory);
      const mark = randomBytes(8).toString("hex");
      return write({ mark, backend, team, teamCreatedAt, name, joinedAt, lead, isReady: false });
    },

    amend: (record, patch) => write({ ...record, ...patch }),

    end(record) {
      const own = namesIn(directory).filter((name) => name.startsWith(`${record.mark}.`));
      for (const name of own) if (name !== `${record.mark}.json`) rmSync(join(directory, name), { force: true });
      rmSync(file(record, "json"), { force: true });
    },

    file,

    sweep() {
      const names = namesIn(directory);
      const stray = names.filter(
        (name) => /^[0-9a-f]{16}\./.test(name) && !names.includes(`${name.slice(0, 16)}.json`),
      );
      for (const path of stray.map((name) => join(directory, name))) {
        const { mtimeMs = Number.NaN } = lstatSync(path, { throwIfNoEntry: false }) ?? {};
        if (Date.now() - mtimeMs > strayMs) rmSync(path, { force: true });
      }
    },

    all() {
      const names = namesIn(directory).filter((name) => /^[^.]+\.json$/.test(name));
      if (names.length > 0) assertPrivate(directory);
      const records: BackendRecord[] = [];
      const problems: string[] = [];
      for (const name of names) {
        const path = join(directory, name);
        try {
          const record = read(path);
          if (`${record.mark}.json` !== name) throw new Error("it has the mark of another record");
          records.push(record);
        } catch (error) {
          // One that ended since the look at the directory is no problem.
          if (isGone(error)) continue;
          problems.push(`${path} is no record of a backend, and nothing it says is acted on: ${messageOf(error)}`);
        }
      }
      return { records, problems };
    },
  };
}

function read(path: string): BackendRecord {
  assertPrivate(path);
  const text = Buffer.from(readNamedFile(path, maxRecordBytes)).toString("utf8");
  const { success, data, error } = BackendRecord.safeParse(JSON.parse(text));
  if (success) return data;
  const [issue] = error.issues;
  throw new Error(`${issue?.path.join(".")}: ${issue?.message}`);
}

/** What others can write could name their processes, or those of somebody else. */
function assertPrivate(path: string): void {
  const { uid, mode } = lstatSync(path);
  const isLink = (mode & 0o170000) === 0o120000;
  if (!isLink && uid === process.getuid?.() && (mode & 0o022) === 0) return;
  const message = `${path} is ${isLink ? "a link" : "writable by others"}: make it a file or directory of your own`;
  throw new TroupeError("path_escaping", message, { path });
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

const isGone = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === "ENOENT";
