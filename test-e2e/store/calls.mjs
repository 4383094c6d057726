// Stands between this thread and the disk: a script that loads it hears of each call before it is
// made.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { writeSync, writeFileSync, readFileSync } = fs;

const readers =
  /^(access|close|exists|fdatasync|fstat|fsync|lstat|opendir|readdir|read|readFile|readlink|realpath|stat|statfs)Sync$/;
const isChange = (name, [, flags = "r"]) =>
  !readers.test(name) && !(name === "openSync" && (flags === "r" || (Number(flags) & 3) === fs.constants.O_RDONLY));

const halves = {
  writeFileSync: (target, data, options) => writeFileSync(target, firstHalf(data), options),
  writeSync: (file, data, ...at) =>
    typeof data === "string"
      ? writeSync(file, firstHalf(data), 0, undefined, at[0])
      : writeSync(file, data, at[0] ?? 0, Math.floor((at[1] ?? data.length) / 2), at[2]),
  copyFileSync: (from, to) => writeFileSync(to, firstHalf(readFileSync(from))),
};
const firstHalf = (data) => Buffer.from(data).subarray(0, Buffer.from(data).length / 2);

/** Does the first half of a write. */
export const halve = (name, args) => halves[name](...args);

/**
 * Has `before` called before each call, from `arm` on: with its name, whether it changes
 * the disk, and its arguments.
 */
export function watchCalls(before) {
  let isArmed = false;
  for (const [name, original] of Object.entries(fs)) {
    if (!name.endsWith("Sync") || typeof original !== "function") continue;
    fs[name] = (...args) => {
      if (!isArmed) return original(...args);
      isArmed = false;
      try {
        before({ name, isChange: isChange(name, args) }, args);
        // What it is made of counts for removing alone, which is a tree of removals; half a write
        // stands for the parts of a write.
        isArmed = name === "rmSync";
        return original(...args);
      } finally {
        isArmed = true;
      }
    };
  }
  syncBuiltinESMExports();
  return {
    arm() {
      isArmed = true;
    },
  };
}
