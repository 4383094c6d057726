// One of several that find a lock left behind at the same moment. It says whether it was alone
// inside.
import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { withLock } from "@troupe/store/files";

const { file, gate } = JSON.parse(process.argv[2]);
process.stdout.write("ready\n");
while (!existsSync(gate)) await new Promise(setImmediate);
await withLock(file, () => {
  let isAlone = true;
  try {
    closeSync(openSync(`${file}.inside`, "wx"));
  } catch {
    isAlone = false;
  }
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
  rmSync(`${file}.inside`, { force: true });
  process.stdout.write(`${isAlone ? "alone" : "together"}\n`);
});
