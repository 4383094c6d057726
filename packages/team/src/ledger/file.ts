import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { TroupeError } from "@troupe/protocol";
import { type LockLimits, temporaryOf } from "@troupe/protocol/rules";
import { publish, takeLease } from "@troupe/store/files";
import { isLedgerEntry, type LedgerEntry } from "./entry.ts";
import { emptyLedger, foldLedger } from "./fold.ts";
import type { Ledger } from "./ledger.ts";
import { stillNeeded } from "./needed.ts";

export interface LedgerFileDeps {
  readonly path: string;
  /** How long the file of a process that was killed is waited for. */
  readonly limits?: LockLimits | undefined;
}

export interface LedgerFile extends Ledger {
  /** Lines that could not be read when it was opened. */
  readonly problems: readonly string[];
  close(): void;
}

/** A file that is smaller is never rewritten. */
const smallLength = 64 * 1024;

/**
 * The ledger of a member that has no journal: one line of JSON an entry, each written at once. A
 * line that breaks off was never acknowledged and is passed over. One process at a time has it:
 * a second one fails with `lock_unavailable`, and one that was stopped until another took the file
 * over writes nothing more. It is rewritten when it is opened and most of it is needed no more.
 */
export async function openLedgerFile({ path, limits }: LedgerFileDeps): Promise<LedgerFile> {
  possible(path, () => mkdirSync(dirname(path), { recursive: true, mode: 0o700 }));
  const lease = await takeLease(path, limits);
  try {
    // Opened for writing too, so that what cannot be remembered is known before anything is heard.
    closeSync(possible(path, () => openSync(path, "a", 0o600)));
    const found = load(path);
    const kept = rewritten(found);
    const held = { temporaryFor: (file: string) => temporaryOf(file, process.pid), assertHeld: lease.assertHeld };
    if (kept !== undefined) publish(held, path, kept);
    const file = possible(path, () => openSync(path, "a", 0o600));
    return ledgerIn({ path, file, lease, ...found, isTorn: kept === undefined && found.isTorn });
  } catch (error) {
    lease.release();
    throw error;
  }
}

interface Opened extends Omit<Loaded, "length"> {
  readonly path: string;
  readonly file: number;
  readonly lease: { assertHeld(): void; release(): void };
}

function ledgerIn({ path, file, lease, entries, problems, isTorn: wasTorn }: Opened): LedgerFile {
  let state = entries.reduce(foldLedger, emptyLedger);
  let isTorn = wasTorn;
  let isClosed = false;

  function append(entry: LedgerEntry): void {
    // The number of a closed file may be another file's by now.
    if (isClosed) throw new TroupeError("document_unwritable", `${path} is closed`, { path });
    lease.assertHeld();
    const line = Buffer.from(`${isTorn ? "\n" : ""}${JSON.stringify(entry)}\n`);
    isTorn = true;
    write(line);
    isTorn = false;
    state = foldLedger(state, entry);
  }

  function write(line: Buffer): void {
    const message = `${path} could not be written to its end; is the disk full?`;
    let written: number;
    try {
      written = writeSync(file, line);
    } catch (cause) {
      throw new TroupeError("document_unwritable", message, { path }, cause);
    }
    if (written !== line.length) throw new TroupeError("document_unwritable", message, { path });
  }

  return {
    state: () => state,
    append,
    problems,
    close() {
      if (isClosed) return;
      isClosed = true;
      closeSync(file);
      lease.release();
    },
  };
}

/** The text of what is still needed, where that is less than half of a file that is not small. */
function rewritten({ entries, problems, length }: Loaded): string | undefined {
  // What cannot be read is kept for somebody who can.
  if (length < smallLength || problems.length > 0) return undefined;
  const text = stillNeeded(entries)
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join("");
  return text.length < length / 2 ? text : undefined;
}

function possible<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const message = `${path} cannot be opened to remember what was heard: ${(cause as Error).message}`;
    throw new TroupeError("document_unwritable", message, { path }, cause);
  }
}

interface Loaded {
  readonly entries: readonly LedgerEntry[];
  readonly problems: readonly string[];
  readonly isTorn: boolean;
  readonly length: number;
}

function load(path: string): Loaded {
  const text = readFileSync(path, "utf8");
  const lines = text.split("\n");
  const isTorn = lines.at(-1) !== "";
  const problems: string[] = [];
  const entries = lines.flatMap((line, at) => {
    const entry = parsed(line);
    if (isLedgerEntry(entry)) return [entry];
    if (line !== "") problems.push(`${path}:${at + 1} is no entry of a ledger`);
    return [];
  });
  return { entries, problems, isTorn, length: text.length };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
