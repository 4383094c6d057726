// node --import './faults.mjs?<query>' script: follows the script's calls to the disk, from
// process.emit("armed") on, and ends or stops the process at one of these calls.
//   kill=3             SIGKILL before the third call that changes the disk. Before the next call is
//                      the same as after this one, and calls that change nothing need no kill of
//                      their own: the disk is as it was before them
//   half=3             the same, but half of the call, a write, is done
//   stop=7             SIGSTOP before the seventh call, reading or not; may be given several times
//   clock=back         none of these: the clock is an hour behind, and one more second at each use
import { writeSync } from "node:fs";
import { halve, watchCalls } from "./calls.mjs";
import { signalSelf } from "./signal-self.mjs";

const query = new URL(import.meta.url).searchParams;
const [kill, half] = ["kill", "half"].map((name) => Number(query.get(name)));
const stops = new Set(query.getAll("stop").map(Number));

if (query.get("clock") === "back") {
  const { now } = Date;
  let behindMs = 3_600_000;
  Date.now = () => {
    behindMs += 1_000;
    return now() - behindMs;
  };
}

let calls = 0;
let changed = 0;

const watch = watchCalls(({ name, isChange }, args) => {
  calls += 1;
  if (stops.has(calls)) {
    writeSync(1, `stopped before ${name}\n`);
    signalSelf("SIGSTOP");
  }
  if (!isChange) return;
  changed += 1;
  if (changed === half) halve(name, args);
  if (changed === kill || changed === half) signalSelf("SIGKILL");
});
process.once("armed", watch.arm);
