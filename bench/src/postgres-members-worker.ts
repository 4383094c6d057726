import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgresStore } from "@troupe/store-postgres";
import type { Lives } from "./postgres-thousand.ts";

interface Plan {
  readonly url: string;
  readonly teams: number;
  readonly each: number;
  readonly processes: number;
  readonly part: number;
  readonly begin: number;
  readonly until: number;
}

const plan = JSON.parse(process.argv[2] ?? "{}") as Plan;
const lives: { [K in keyof Lives]: Lives[K][number][] } = {
  sent: [],
  got: [],
  claimed: [],
  failures: [],
  sending: [],
  arriving: [],
};
const now = () => performance.timeOrigin + performance.now();
const isOver = () => Date.now() > plan.until;
const store = await openPostgresStore({ url: plan.url });
/** Ends the waits for mail once nobody writes any more. */
const quiet = new AbortController();
setMaxListeners(0, quiet.signal);

async function live(teamName: string, name: string): Promise<void> {
  const self = await (await store.openTeam(teamName))?.as(name);
  if (!self) throw new Error(`${teamName} is gone`);
  const mail = await self.receive({ deadlineMs: 60_000 });

  async function read(): Promise<void> {
    while (!quiet.signal.aborted) {
      const messages = await mail.wait(quiet.signal);
      for (const { entry } of messages) {
        const [id = "", at = ""] = entry.text.split(" at ");
        lives.got.push(id);
        lives.arriving.push(now() - Number.parseFloat(at));
      }
      await mail.acknowledge(new Set(messages.map(({ key }) => key)));
    }
  }

  async function write(): Promise<void> {
    await sleep(Math.max(0, plan.begin - Date.now()) + Math.random() * 10_000);
    for (let count = 0; !isOver(); count += 1) {
      const [to, id, start] = [`m${Math.floor(Math.random() * plan.each)}`, `${teamName} ${name} ${count}`, now()];
      await self?.send(to, { text: `${id} at ${start} ${"x".repeat(500)}` });
      lives.sending.push(now() - start);
      lives.sent.push(id);
      if (Math.random() < 0.3) {
        await self?.tasks.create({ subject: id, description: "" });
        const task = await self?.tasks.claimNext(name);
        if (task) {
          lives.claimed.push(`${teamName} ${task.id}`);
          await self?.tasks.complete(task.id);
        }
      }
      await sleep(Math.random() * 20_000);
    }
  }

  const writing = write().then(() => sleep(Math.max(0, plan.until + 10_000 - Date.now())));
  await Promise.all([read(), writing.finally(() => quiet.abort())]);
  await mail.release();
}

const members = Array.from({ length: plan.teams }, (_, team) =>
  Array.from({ length: plan.each }, (_, member) => [`thousand-${team}`, `m${member}`, member] as const),
).flat();
await Promise.all(
  members
    .filter(([, , member]) => member % plan.processes === plan.part)
    .map(([team, name]) =>
      live(team, name).catch((error) => {
        lives.failures.push(String(error));
      }),
    ),
);
await store.close();
console.log(JSON.stringify(lives));
