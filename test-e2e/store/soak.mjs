// Six processes work on teams of both revisions and are killed and stopped at random, round after
// round; what they were told is held against the files. Prints one line of JSON and ends with 1 if
// anything was lost, torn or doubled, or did not go ahead.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { round } from "./soak/round.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "20" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
const end = performance.now() + minutes * 60_000;
/** Inboxes grow past the size from which a send shares what is there, where the file system can. */
const roundSeconds = 60;
const total = {
  ops: 0,
  kills: 0,
  lost: 0,
  torn: 0,
  doubled: 0,
  stuck: 0,
  stops: 0,
  refused: 0,
  open: 0,
  left: 0,
  rounds: 0,
};
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

/**
 * On a busy machine a round can be over before anything was done: the soak goes on until something
 * was.
 */
const isEmpty = () => total.ops === 0 || total.kills === 0;
const hasFaults = () => total.lost + total.torn + total.doubled + total.stuck > 0;

let said = 0;
for (let roundSeed = seed; performance.now() < end || (isEmpty() && !hasFaults()); roundSeed += 1) {
  const root = mkdtempSync(join(tmpdir(), "troupe-soak-"));
  const removeAll = () => rmSync(root, { recursive: true, force: true });
  process.once("exit", removeAll);
  const seconds = Math.min(roundSeconds, Math.max(1, (end - performance.now()) / 1_000));
  const { faults, left, ...counts } = await round({ root, seconds, seed: roundSeed }).catch((error) => ({
    faults: [{ kind: "stuck", why: `the round itself: ${error.stack}` }],
    left: [],
  }));
  for (const [key, count] of Object.entries(counts)) total[key] += count;
  for (const { kind, why } of faults) {
    total[kind] += 1;
    if (total[kind] <= 20) console.error(`${kind} in the round with seed ${roundSeed}: ${why}`);
  }
  total.left += left.length;
  total.rounds += 1;
  removeAll();
  process.off("exit", removeAll);
  const minute = Math.floor((performance.now() - end) / 60_000 + minutes);
  if (minute > said) console.error(`after ${minute} of ${minutes} minutes: ${JSON.stringify(total)}`);
  said = Math.max(said, minute);
}
const { ops, kills, lost, torn, doubled, stuck, ...more } = total;
console.log(JSON.stringify({ ops, kills, lost, torn, doubled, stuck, minutes, seed, ...more }));
process.exitCode = lost + torn + doubled + stuck > 0 ? 1 : 0;
