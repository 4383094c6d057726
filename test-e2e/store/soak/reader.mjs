// A reader without a lock that goes round and round: every document it meets must parse, and
// nothing may become less that only grows. Each fault is a line [kind, path, why] on stdout.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { nowUs } from "../stamped.mjs";

const { root, untilUs } = JSON.parse(process.argv[2]);
const say = (...line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const highest = new Map();

function read(path) {
  let text;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    say("torn", path, `${error.message}, ${text.length} characters`);
    return undefined;
  }
}

function namesIn(directory) {
  try {
    return readdirSync(directory).filter((name) => /^([a-z][^.]*|[1-9][0-9]*)\.json$/.test(name));
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}

function mustGrow(path, size) {
  const before = highest.get(path) ?? 0;
  if (size < before) say("lost", path, `${size} after ${before}`);
  highest.set(path, Math.max(size, before));
}

while (nowUs() < untilUs) {
  for (const team of ["old", "new"]) {
    const [directory, tasks] = [join(root, "teams", team), join(root, "tasks", team)];
    read(join(directory, "config.json"));
    for (const name of namesIn(join(directory, "inboxes"))) {
      const path = join(directory, "inboxes", name);
      const entries = read(path);
      if (entries && team === "old") mustGrow(path, entries.length);
    }
    for (const name of namesIn(tasks)) read(join(tasks, name));
    mustGrow(join(tasks, ".highwatermark"), Number(read(join(tasks, ".highwatermark")) ?? 0));
    await sleep(5);
  }
}
