import {
  accessSync,
  chmodSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const before = process.env["TMPDIR"];
let [directory, memory] = ["", ""];

/**
 * Vitest's global set-up: gives the tests a temporary directory that another user can enter, and
 * one in memory for those that need no disk.
 */
export function setup(): void {
  directory = madeIn(realpathSync(tmpdir()));
  process.env["TMPDIR"] = directory;
  memory = hasRoom("/dev/shm") ? madeIn("/dev/shm") : mkdtempSync(join(directory, "memory-"));
  process.env["TROUPE_MEMORY"] = memory;
}

function madeIn(parent: string): string {
  const made = mkdtempSync(join(parent, "troupe-run-"));
  chmodSync(made, 0o755);
  return made;
}

/** A container may have 64 MB there. */
function hasRoom(parent: string): boolean {
  try {
    accessSync(parent, constants.W_OK);
    const { bavail, bsize } = statfsSync(parent);
    return bavail * bsize > 2 ** 30;
  } catch {
    return false;
  }
}

/**
 * The tear-down, for one file or all: the run fails if a test left a file or a process of that
 * directory.
 */
export async function teardown(): Promise<void> {
  if (before === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = before;
  delete process.env["TROUPE_MEMORY"];
  let processes = processesOf(directory);
  // A process that was told to end, and vitest's own, may need a moment.
  for (let looks = 0; processes.length > 0 && looks < 60; looks += 1) {
    await sleep(50);
    processes = processesOf(directory);
  }
  const inMemory = readdirSync(memory, { recursive: true });
  rmSync(memory, { recursive: true, force: true });
  const files = [...inMemory, ...readdirSync(directory, { recursive: true })].slice(0, 20);
  rmSync(directory, { recursive: true, force: true });
  if (files.length + processes.length === 0) return;
  const lines = [...files.map((name) => `the file ${name}`), ...processes.map((line) => `the process ${line}`)];
  // Vitest tells of an error here, and ends with 0 all the same.
  process.exitCode = 1;
  throw new Error(`tests left behind:\n  ${lines.join("\n  ")}`);
}

/** Processes that stand in the directory, name it, or were given it as theirs; only Linux tells. */
function processesOf(directory: string): readonly string[] {
  const isOurs = (pid: string): boolean =>
    [
      () => readlinkSync(`/proc/${pid}/cwd`),
      ...["cmdline", "environ"].map((file) => () => readFileSync(`/proc/${pid}/${file}`, "utf8")),
    ].some((look) => look().includes(directory));
  return pidsHere().flatMap((pid) => {
    try {
      if (Number(pid) === process.pid || !isOurs(pid)) return [];
      return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()}`;
    } catch {
      return [];
    }
  });
}

function pidsHere(): readonly string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
