import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "@troupe/protocol";
import { publishAlone, readNamedFile } from "@troupe/store/files";

/** One thing that a bridge knows, on disk below `troupe/` of its root. */
export interface Slot<T extends object> {
  /** Undefined for what was never kept, or is torn. */
  read(): T | undefined;
  keep(value: T): void;
  drop(): void;
}

/** How far the mail of a member was brought here. */
export interface Brought {
  /** The number of the last message that is surely in the file, or was. */
  readonly upTo: number;
  /** Those up to this one may be there. */
  readonly begun?: number;
}

/** What a bridge wrote of itself last. */
export interface Pulse {
  readonly host: string;
  /** ISO 8601 in UTC: when the database was heard of last; null before. */
  readonly heardAt: string | null;
  readonly unsent: number;
  readonly problems: readonly string[];
}

/** The place of all bridges of a root. */
const placeOf = (root: string): string => join(root, "troupe", "bridge");

/** What a bridge knows of one team; a later team of the same name has another. */
export function memoryOf(root: string, team: string, createdAt = 0) {
  const place = join(placeOf(root), team, String(createdAt));
  return {
    pulse: slot<Pulse>(place, "pulse"),
    inbox: (name: string) => slot<Brought>(place, `inbox-${name}`),
    task: <T extends object>(id: string) => slot<T>(place, `task-${id}`),
    /** The ids of the tasks that something is known of. */
    tasks: (): string[] => namesIn(place).flatMap((name) => /^task-([0-9]+)\.json$/.exec(name)?.[1] ?? []),
  };
}
export type Memory = ReturnType<typeof memoryOf>;

/** What tells this root from every other that ever had its host's name. */
export function idOfRoot(root: string, newId: () => string): string {
  const kept = slot<{ readonly id: string }>(placeOf(root), "root");
  const known = kept.read();
  if (known) return known.id;
  kept.keep({ id: newId() });
  return (kept.read() as { readonly id: string }).id;
}

/** What the bridges of a root wrote of themselves last, by team. */
export function pulsesIn(root: string): { readonly team: string; readonly pulse: Pulse }[] {
  const place = placeOf(root);
  return namesIn(place).flatMap((team) =>
    namesIn(join(place, team)).flatMap((createdAt) => {
      const pulse = slot<Pulse>(join(place, team, createdAt), "pulse").read();
      return pulse ? [{ team, pulse }] : [];
    }),
  );
}

function slot<T extends object>(directory: string, name: string): Slot<T> {
  const path = join(directory, `${name}.json`);
  return {
    read() {
      const { value } = readJson(bytesAt(path));
      return typeof value === "object" && value !== null ? (value as T) : undefined;
    },
    keep(value) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      publishAlone(path, JSON.stringify(value));
    },
    drop: () => rmSync(path, { force: true }),
  };
}

function bytesAt(path: string): Uint8Array | string {
  try {
    return readNamedFile(path);
  } catch {
    return "";
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
