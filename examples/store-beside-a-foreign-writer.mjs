// The store beside a program of another make: both append to one inbox under the same lock, and
// nobody loses a message.   node examples/store-beside-a-foreign-writer.mjs
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openFileStore } from "@troupe/store/files";

const root = mkdtempSync(join(tmpdir(), "example-"));
const store = openFileStore({ root });
const at = { createdAt: Date.now(), cwd: process.cwd() };
const team = await store.createTeam({ name: "crew", leadSessionId: "a session", leadModel: "a model", ...at });
await team.join({ name: "ann", agentType: "worker", model: "m", prompt: "", joinedAt: at.createdAt, cwd: at.cwd });

/**
 * As other clients write: the directory `<file>.lock` is the lock, and the whole file is written
 * anew.
 */
async function foreignWriter(/** @type {string} */ file, /** @type {number} */ count) {
  mkdirSync(dirname(file), { recursive: true });
  for (let n = 0; n < count; ) {
    try {
      mkdirSync(`${file}.lock`);
    } catch {
      await pause(5);
      continue;
    }
    const entries = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
    entries.push({ from: "bob", text: `bob ${n}`, timestamp: new Date().toISOString(), read: false });
    writeFileSync(file, JSON.stringify(entries));
    rmdirSync(`${file}.lock`);
    n += 1;
    await pause(1);
  }
}

const lead = await team.as("team-lead");
const send = async () => {
  for (let n = 0; n < 50; n += 1) await lead.send("ann", { text: `lead ${n}`, summary: `message ${n}` });
};
await Promise.all([foreignWriter(join(root, "teams/crew/inboxes/ann.json"), 50), send()]);

const mail = await (await team.as("ann")).receive();
const messages = await mail.take();
for (const from of ["team-lead", "bob"]) {
  const texts = messages.filter(({ entry }) => entry.from === from).map(({ entry }) => entry.text);
  const isInOrder = texts.every((text, n) => text.endsWith(` ${n}`));
  console.log(`${from}: ${texts.length} messages, ${isInOrder ? "in order" : "out of order"}`);
}
await mail.acknowledge(new Set(messages.map(({ key }) => key)));
console.log("left:", (await mail.take()).length);
await store.close();
rmSync(root, { recursive: true });
