import { execFileSync } from "node:child_process";
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** The time that a quiet machine needs for the work below. */
const nominalMs = { start: 60, publish: 0.25 };

/** How much slower this machine is than a quiet one, at least 1: it scales every time limit. */
export function measureSlowness(directory: string): number {
  const start = timed(3, () => execFileSync(process.execPath, ["-e", "0"]));
  const target = join(directory, "calibration.json");
  const publish = timed(200, () => {
    writeFileSync(`${target}.tmp`, "{}", { flag: "wx" });
    renameSync(`${target}.tmp`, target);
  });
  rmSync(target);
  return Math.max(1, start / nominalMs.start, publish / nominalMs.publish);
}

function timed(times: number, work: () => void): number {
  const begin = performance.now();
  for (let time = 0; time < times; time += 1) work();
  return (performance.now() - begin) / times;
}

/** Lists how this file system differs from what every implementation relies on. */
export function findUnfit(directory: string): readonly string[] {
  const at = (name: string) => join(directory, name);
  const trials: Readonly<Record<string, () => boolean>> = {
    "a file that exists can be made exclusively once more": () => {
      closeSync(openSync(at("exclusive"), "wx"));
      return errorOf(() => closeSync(openSync(at("exclusive"), "wx"))) === "EEXIST";
    },
    "a directory that exists can be made once more": () => {
      mkdirSync(at("lock"));
      return errorOf(() => mkdirSync(at("lock"))) === "EEXIST";
    },
    "a rename over an open file changes what the open file shows": () => {
      writeFileSync(at("old"), "old");
      writeFileSync(at("new"), "new");
      const open = openSync(at("old"), "r");
      renameSync(at("new"), at("old"));
      const before = readFileSync(open, "utf8");
      closeSync(open);
      return before === "old" && readFileSync(at("old"), "utf8") === "new";
    },
    "times of files are kept in whole seconds": () => {
      utimesSync(at("old"), 1_700_000_000, 1_700_000_000.25);
      return lstatSync(at("old")).mtimeMs % 1_000 !== 0;
    },
    "a file cannot be flushed": () => {
      const open = openSync(at("old"), "r+");
      fsyncSync(open);
      closeSync(open);
      return true;
    },
  };
  return Object.entries(trials).flatMap(([fault, trial]) => (isSound(trial) ? [] : [fault]));
}

function isSound(trial: () => boolean): boolean {
  try {
    return trial();
  } catch {
    return false;
  }
}

function errorOf(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}
