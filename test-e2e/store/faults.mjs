// node --import './faults.mjs?<query>' script: counts, from process.emit("armed") on, what the script does to the disk, and has the
// process end or stop itself at one of these calls.
//   count              says in the end, in a line of JSON, what was called
//   kill=3             by SIGKILL before the third call that changes the disk. Before the next one is the same as after this one, and
//                      calls that change nothing need no turn of their own: the disk is as it was before them
//   half=3             the same, but the call, a write, gets half of it done
//   stop=7             by SIGSTOP before the seventh call, reading or not; may be said more than once
//   clock=back         nothing of that: the clock is an hour behind, and a second more each time it is asked
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const query = new URL(import.meta.url).searchParams;
const [kill, half] = ["kill", "half"].map((name) => Number(query.get(name)));
const stops = new Set(query.getAll("stop").map(Number));
const { writeSync, writeFileSync, readFileSync } = fs;

const readers =
  /^(access|close|exists|fdatasync|fstat|fsync|lstat|opendir|readdir|read|readFile|readlink|realpath|stat|statfs)Sync$/;
const changes = (name, [, flags = "r"]) =>
  !readers.test(name) && !(name === "openSync" && (flags === "r" || (Number(flags) & 3) === fs.constants.O_RDONLY));

/** Does the first half of a write. */
const halves = {
  writeFileSync: (target, data, options) => writeFileSync(target, firstHalf(data), options),
  writeSync: (file, data, ...at) =>
    typeof data === "string"
      ? writeSync(file, firstHalf(data), 0, undefined, at[0])
      : writeSync(file, data, at[0] ?? 0, Math.floor((at[1] ?? data.length) / 2), at[2]),
  copyFileSync: (from, to) => writeFileSync(to, firstHalf(readFileSync(from))),
};
const firstHalf = (data) => Buffer.from(data).subarray(0, Buffer.from(data).length / 2);

function signalSelf(signal) {
  process.kill(process.pid, signal);
  // The whole process stops, or ends, a moment after one thread of it has gone on.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
}

if (query.get("clock") === "back") {
  const { now } = Date;
  let behindMs = 3_600_000;
  Date.now = () => {
    behindMs += 1_000;
    return now() - behindMs;
  };
}

const called = [];
let calls = 0;
let changed = 0;
let isArmed = false;
process.once("armed", () => {
  isArmed = true;
});
if (query.has("count")) process.once("exit", () => writeSync(1, `${JSON.stringify({ called })}\n`));

for (const [name, original] of Object.entries(fs)) {
  if (!name.endsWith("Sync") || typeof original !== "function") continue;
  fs[name] = (...args) => {
    if (!isArmed) return original(...args);
    before(name, args);
    // What it is made of counts for removing alone, which is a tree of removals; half a write stands for the parts of a write.
    isArmed = name === "rmSync";
    try {
      return original(...args);
    } finally {
      isArmed = true;
    }
  };
}
syncBuiltinESMExports();

function before(name, args) {
  const isChange = changes(name, args);
  if (query.has("count")) called.push({ name, isChange });
  calls += 1;
  if (stops.has(calls)) {
    writeSync(1, `stopped before ${name}\n`);
    signalSelf("SIGSTOP");
  }
  if (!isChange) return;
  changed += 1;
  if (changed !== kill && changed !== half) return;
  isArmed = false;
  if (changed === half) halves[name](...args);
  signalSelf("SIGKILL");
}
