// A process of another make on one inbox: read, parse, change, write everything. Each line says
// what it has written, or taken.
//   in-place     under the lock, as real clients do it: the file is written over, and cut at its
//                new end
//   by-rename    under the lock, through a file of its own
//   lockless     through its own temporary file, also while another holds the lock
//   consume      takes what is unread, in place and under the lock
//   hold         takes the lock, says so, and writes in place after a second
// `end` stands behind the number of a message.
// `patience` is how often it asks for the lock again: ten times are the 0.7 seconds after which a
// real client gives up.
import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import lockfile from "proper-lockfile";
import { stamped } from "./stamped.mjs";

const { kind, revision, path, name, count, patience, pauseMs = 0, end = "" } = JSON.parse(process.argv[2]);

let isOver = false;
// A program that is ended in the middle of a write would leave half a file.
process.once("SIGTERM", () => {
  isOver = true;
});

/**
 * The bytes of either revision, in the layouts that are met: theirs, compact, and with what nobody
 * knows.
 */
function entryOf(text, n) {
  const own = revision === "2026-11" && { msgV: 1, msg_id: crypto.randomUUID(), type: "message" };
  const entry = { from: name, text, timestamp: new Date().toISOString(), color: "pink", ...own, read: false };
  return n % 3 === 2 ? { ...entry, future: { n } } : entry;
}
const written = (entries, n) => (n % 3 === 1 ? JSON.stringify(entries) : JSON.stringify(entries, null, 2));
const read = () => (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : []);

function writeInPlace(text) {
  const file = openSync(path, existsSync(path) ? "r+" : "w+");
  writeSync(file, text, 0);
  ftruncateSync(file, Buffer.byteLength(text));
  closeSync(file);
}
function writeByRename(text) {
  writeFileSync(`${path}.foreign.${process.pid}`, text);
  renameSync(`${path}.foreign.${process.pid}`, path);
}

async function locked(work) {
  const retries = { retries: patience, minTimeout: 5, maxTimeout: 100 };
  const release = await lockfile.lock(path, { realpath: false, stale: 10_000, retries });
  const result = await work();
  await release();
  return result;
}

function append(n, write) {
  const text = `${name} ${n}${end}`;
  return stamped(text, () => write(written([...read(), entryOf(text, n)], n)));
}

function take() {
  const entries = read();
  const unread = entries.filter(({ read }) => !read);
  const left = revision === "2026-02" ? entries.map((entry) => ({ ...entry, read: true })) : [];
  if (unread.length > 0) writeInPlace(written(left, 0));
  return unread.map(({ text }) => text.trim());
}

const kinds = {
  "in-place": (n) => locked(() => append(n, writeInPlace)),
  "by-rename": (n) => locked(() => append(n, writeByRename)),
  lockless: (n) => append(n, writeByRename),
  hold: (n) =>
    locked(async () => {
      console.log("holding");
      await sleep(1_000);
      await append(n, writeInPlace);
    }),
};

if (kind === "consume") {
  for (let taken = 0; taken < count; ) {
    const texts = await locked(() => stamped("take", take));
    taken += texts.length;
  }
} else {
  for (let n = 0; n < count && !isOver; n += 1) {
    await kinds[kind](n);
    if (pauseMs > 0) await sleep(pauseMs);
  }
}
