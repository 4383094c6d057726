// A client of the files of one machine that works until it is time, either by the file store or as
// a program that knows nothing of Troupe and writes in place, under the same locks. What it was
// told goes to stdout, a line each: ["sent", to, number], ["created", id], ["claimed", id].
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openFileStore } from "@troupe/store/files";
import { pick, randomFrom } from "../store/soak/random.mjs";

const { root, member, members, isPlain, seed, ms } = JSON.parse(process.argv[2]);
const random = randomFrom(seed);
const say = (...line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const inbox = (name) => join(root, "teams/crew/inboxes", `${name}.json`);
const tasks = join(root, "tasks/crew");
const sent = new Map();
let own;

async function withLock(file, work) {
  for (;;) {
    try {
      mkdirSync(`${file}.lock`);
      break;
    } catch {
      try {
        if (Date.now() - statSync(`${file}.lock`).mtimeMs > 10_000) rmdirSync(`${file}.lock`);
      } catch {}
      await sleep(5 + random() * 10);
    }
  }
  try {
    return work();
  } finally {
    rmdirSync(`${file}.lock`);
  }
}

const read = (file, otherwise) => {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return otherwise;
  }
};
const write = (file, document) => writeFileSync(file, JSON.stringify(document, null, 2));

/** What a program does that writes in place. */
const plain = {
  async send(to, text) {
    mkdirSync(join(root, "teams/crew/inboxes"), { recursive: true });
    await withLock(inbox(to), () => {
      const entry = { from: member, text, timestamp: new Date().toISOString(), color: "blue", read: false };
      write(inbox(to), [...read(inbox(to), []), entry]);
    });
  },
  async claim() {
    const ids = readdirSync(tasks).flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? []);
    for (const id of ids) {
      const file = join(tasks, `${id}.json`);
      const isFree = (task) => task?.status === "pending" && !task.owner && task.blockedBy.length === 0;
      if (!isFree(read(file))) continue;
      const isClaimed = await withLock(file, () => {
        const task = read(file);
        if (!isFree(task)) return false;
        write(file, { ...task, owner: member, status: "in_progress" });
        return true;
      });
      if (isClaimed) return id;
    }
    return undefined;
  },
  complete: (id) =>
    withLock(join(tasks, `${id}.json`), () => {
      const file = join(tasks, `${id}.json`);
      write(file, { ...read(file), status: "completed" });
    }),
};

/** The same by the file store. */
async function byStore() {
  const store = openFileStore({ root });
  const team = await store.openTeam("crew");
  const self = await team.as(member);
  return {
    send: (to, text) => self.send(to, { text }),
    claim: async () => (await self.tasks.claimNext(member))?.id,
    complete: (id) => self.tasks.complete(id),
    create: async (subject) => (await self.tasks.create({ subject, description: "" })).id,
  };
}

const client = isPlain ? plain : await byStore();
const until = performance.now() + ms;
let count = 0;
while (performance.now() < until) {
  count += 1;
  const deed = pick(random, { send: 80, create: isPlain ? 0 : 8, claim: 12 });
  if (deed === "send") {
    const to = members.filter((name) => name !== member)[Math.floor(random() * (members.length - 1))];
    const number = (sent.get(to) ?? 0) + 1;
    await client.send(to, `${member} ${number}`);
    sent.set(to, number);
    say("sent", to, number);
  } else if (deed === "create") say("created", await client.create(`${member} ${count}`));
  else if (own !== undefined) {
    await client.complete(own);
    own = undefined;
  } else {
    own = await client.claim();
    if (own !== undefined) say("claimed", own);
  }
  await sleep(10 + random() * 30);
}
process.exit(0);
