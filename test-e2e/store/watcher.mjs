// A process that consumes one inbox in the order that every watcher keeps: watch, read, wait. It
// ends once it has let go of the watch.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname } from "node:path";
import { codecFor } from "@troupe/protocol";
import { openInbox, watchDirectories } from "@troupe/store/files";

const [wokenBy, revision, path, count] = process.argv.slice(2);
const { watch } = fs;
const refuse = () => {
  throw Object.assign(new Error("no watch is left"), { code: "ENOSPC" });
};
const surroundings = {
  "events alone": () => {
    globalThis.setInterval = () => undefined;
  },
  "the poll alone": () => {
    fs.watch = refuse;
  },
  /**
   * There is one poll, and nothing can be watched before it; the watch that is had then reports a
   * fault.
   */
  "events that come late": () => {
    fs.watch = refuse;
    globalThis.setInterval = (look) => setTimeout(poll, 20, look);
  },
};
function poll(look) {
  fs.watch = (...args) => {
    const watcher = watch(...args);
    setImmediate(() => watcher.emit("error", new Error("faulty")));
    return watcher;
  };
  syncBuiltinESMExports();
  look();
}
surroundings[wokenBy]();
syncBuiltinESMExports();

const inbox = openInbox({ path, codec: codecFor(revision) });
const subjectOf = (fileName) => (fileName === basename(path) ? fileName : undefined);
const changes = watchDirectories([{ directory: dirname(path), subjectOf }]);
process.stdout.write("ready\n");

for (let taken = 0; ; await changes.next()) {
  const waiting = await inbox.take();
  for (const { entry } of waiting) process.stdout.write(`${entry.text}\n`);
  await inbox.acknowledge(new Set(waiting.map(({ key }) => key)));
  taken += waiting.length;
  if (taken >= Number(count)) break;
}
await changes.return();
