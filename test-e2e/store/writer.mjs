// A process that works on one inbox. What it prints is what it was told is done: the test holds the
// file against it.
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { codecFor } from "@troupe/protocol";
import { openInbox } from "@troupe/store/files";
import { stamped } from "./stamped.mjs";

const { job, revision, path, name, count, staleMs = 10_000, bodyBytes = 0, gate } = JSON.parse(process.argv[2]);
const codec = codecFor(revision);
const inbox = openInbox({ path, codec, limits: { deadlineMs: 30_000, staleMs } });
const filler = "x".repeat(bodyBytes);

const jobs = {
  async send() {
    for (let n = 0; n < count; n += 1) {
      // Half-way it waits until the test has looked.
      while (gate && n === count / 2 && !existsSync(gate)) await sleep(5);
      const content = { text: `${name} ${n} ${filler}` };
      const timestamp = new Date().toISOString();
      const entry = codec.newEntry({ from: { name }, content, timestamp, messageId: crypto.randomUUID() });
      // The message itself is not told again: it may fill the pipe.
      await stamped(`${name} ${n}`, async () => void (await inbox.append(entry)));
    }
  },
  async consume() {
    for (let taken = 0; taken < count; ) {
      let keys = [];
      const texts = await stamped("take", async () => {
        const waiting = await inbox.take();
        keys = waiting.map(({ key }) => key);
        return waiting.map(({ entry }) => entry.text.trim());
      });
      if (keys.length > 0) await stamped(`acknowledge ${keys.length}`, () => inbox.acknowledge(new Set(keys)));
      taken += texts.length;
    }
  },
};
await jobs[job]();
