// Another program at the files of a team, which keeps to no lock and writes in place: cut to
// nothing and written in pieces, written over and
// cut at its new end, or taken away and made anew. It says nothing of a file while it is torn. When
// all is written it prints for how many milliseconds the file was torn at the most: a disk that is
// busy can hold a write up for seconds.
//   inbox   appends `count` messages and marks none as read
//   config  writes the same members again, `count` times
//   task    goes through the states of one task, `count` times, and ends as completed
import { closeSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const { kind, path, count, revision } = JSON.parse(process.argv[2]);

const openings = [
  () => openSync(path, "w"),
  () => openSync(path, "r+"),
  async () => {
    rmSync(path);
    await sleep(2);
    return openSync(path, "wx");
  },
];

let tornMs = 0;

async function write(document, n) {
  const text = Buffer.from(JSON.stringify(document, null, 2));
  const start = performance.now();
  const file = await openings[n % openings.length]();
  const piece = Math.ceil(text.length / 3);
  for (let at = 0; at < text.length; at += piece) {
    writeSync(file, text, at, Math.min(piece, text.length - at), at);
    await sleep(1);
  }
  ftruncateSync(file, text.length);
  closeSync(file);
  const tookMs = performance.now() - start;
  tornMs = Math.max(tornMs, tookMs);
  // A file that is torn for longer than it is whole is found whole by no look of a busy machine.
  await sleep(tookMs + (n % 7));
}

const document = JSON.parse(readFileSync(path, "utf8"));
const newer = revision === "2026-11" ? { msgV: 1, type: "message" } : {};
const kinds = {
  inbox(n) {
    const own = revision === "2026-11" && { msg_id: crypto.randomUUID() };
    document.push({
      from: "team-lead",
      text: `message ${n}`,
      timestamp: new Date().toISOString(),
      ...newer,
      ...own,
      read: false,
    });
    return document;
  },
  config: () => document,
  task: (n) => ({ ...document, status: n === count - 1 ? "completed" : ["pending", "in_progress"][n % 2] }),
};

for (let n = 0; n < count; n += 1) {
  await write(kinds[kind](n), n);
}
console.log(Math.ceil(tornMs));
