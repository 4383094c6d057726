// A process that works on one inbox. What it prints is what it was told is done: the test holds the file against it.
import { codecFor } from "@troupe/protocol";
import { openInbox } from "@troupe/store";

const [task, revision, path, name, count, staleMs, bodyBytes] = process.argv.slice(2);
const codec = codecFor(revision);
const inbox = openInbox({ path, codec, limits: { deadlineMs: 30_000, staleMs: Number(staleMs) } });
const filler = "x".repeat(Number(bodyBytes ?? 0));
const say = (line) => process.stdout.write(`${line}\n`);

async function send() {
  for (let n = 0; n < Number(count); n += 1) {
    const text = `${name} ${n} ${filler}`;
    const timestamp = new Date().toISOString();
    await inbox.append(
      codec.newEntry({ from: { name }, content: { text }, timestamp, messageId: crypto.randomUUID() }),
    );
    say(`${name} ${n}`);
  }
}

async function consume() {
  for (let taken = 0; taken < Number(count); ) {
    const waiting = await inbox.take();
    for (const { entry } of waiting) say(entry.text.trim());
    if (waiting.length > 0) await inbox.acknowledge(new Set(waiting.map(({ key }) => key)));
    taken += waiting.length;
  }
}

await (task === "send" ? send() : consume());
