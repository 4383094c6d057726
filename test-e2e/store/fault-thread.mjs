// A thread that does operations of operations.mjs one after the other, and may end or stop in the
// middle of each. To the disk it is like a process that is killed or stopped there: after its end
// an operation makes no call any more. A process takes half a second to load what stays loaded
// here.
import { parentPort, workerData } from "node:worker_threads";
import { halve, watchCalls } from "./calls.mjs";
import { endOf, openAt, operations } from "./operations.mjs";

const gate = new Int32Array(workerData.gate);
class Ended extends Error {}

let counted = [];
let changes = 0;
let fault = {};
let isEnding = false;
let onEnding = () => {};
/** What has ended may still have timers. */
const ended = new Set();

const watch = watchCalls((call, args) => {
  if (isEnding || [...ended].some((root) => String(args[0]).startsWith(`${root}/`))) throw new Ended();
  counted.push(call);
  if (counted.length === fault.stop) {
    Atomics.store(gate, 0, 0);
    parentPort.postMessage({ isStopped: true });
    Atomics.wait(gate, 0, 0);
  }
  if (!call.isChange) return;
  changes += 1;
  if (changes === fault.half) halve(call.name, args);
  if (changes !== fault.kill && changes !== fault.half) return;
  isEnding = true;
  onEnding();
  throw new Ended();
});
watch.arm();
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error) => {
    if (!(error instanceof Ended)) throw error;
  });
}

parentPort.on("message", async ({ scene, fault: asked }) => {
  const { root, revision, operation, staleMs, isDurable } = scene;
  const store = openAt(root, { staleMs, isDurable });
  [counted, changes, fault] = [[], 0, asked];
  const early = new Promise((resolve) => {
    onEnding = () => resolve(undefined);
  });
  const end = await Promise.race([endOf(operations[operation](store, revision)), early]);
  if (isEnding) {
    // All that unwinds has done so.
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    ended.add(root);
    isEnding = false;
    parentPort.postMessage({ called: counted });
  } else parentPort.postMessage({ end, called: counted });
});
