import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { grantHost, migratePostgresStore, openPostgresStore } from "@troupe/store-postgres";
import { untilSeen } from "../../scripts/awaited.ts";
import { programAt } from "../program.ts";
import { pick, randomFrom } from "../store/soak/random.mjs";
import { createRecords } from "../store/soak/records.mjs";
import { nowUs } from "../store/stamped.mjs";
import { type CallOfClient, faultsIn, type Holding } from "./histories.ts";
import { type Network, openNetwork } from "./network.ts";
import type { Place, Server } from "./server.ts";

/** The member of each process: two are of one, and want the same mail. */
const members = ["m0", "m0", "m1", "m2"] as const;

/** How likely each fault is; every one comes at least once. */
const weights = { kill: 30, stop: 20, lose: 25, part: 12, cut: 8, crash: 3, freeze: 5, outlast: 2 };
type Deed = keyof typeof weights;

interface Client {
  readonly network: Network;
  child: ChildProcess;
  lives: number;
  /** No fault of its own while one lasts. */
  isBusy: boolean;
}

export interface Outcome {
  readonly faults: readonly string[];
  /** The number of each fault that was made, and of calls by how they ended. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Has clients work on a team through bad networks with a bad server, and judges what they saw. */
export async function nemesis(server: Server, { seconds, seed }: { seconds: number; seed: number }): Promise<Outcome> {
  const place = await server.newPlace();
  const urls = await crewIn(place);
  const random = randomFrom(seed);
  const untilUs = nowUs() + seconds * 1e6;
  const isOver = () => nowUs() > untilUs;
  const { records, listen } = createRecords();
  const counts: Record<string, number> = {};
  const faults: string[] = [];
  const pending = new Set<Promise<void>>();
  const clients: Client[] = [];
  const endAll = () => {
    for (const { child } of clients) child.kill("SIGKILL");
  };
  process.once("exit", endAll);

  function start(slot: number, lives: number): ChildProcess {
    const task = {
      url: clients[slot]?.network.url,
      member: members[slot],
      members: [...new Set(members)],
      life: `${slot}.${lives}`,
      seed: Math.floor(random() * 2 ** 32),
      untilUs,
    };
    const program = programAt(join(import.meta.dirname, "nemesis-client.mjs"));
    const child = spawn(process.execPath, [program, JSON.stringify(task)], { stdio: ["ignore", "pipe", "inherit"] });
    listen(child.stdout, lives * members.length + slot, () => {});
    child.once("close", (code, signal) => {
      const client = clients[slot];
      if (signal !== "SIGKILL" && code !== 0) faults.push(`client ${slot} ended with ${code ?? signal}`);
      if (!client || isOver()) return;
      client.lives += 1;
      client.child = start(slot, client.lives);
    });
    return child;
  }

  /** Does a thing to something for a while, that of a client to no other meanwhile. */
  function during(ms: number, begin: () => void, end: () => void, client?: Client): void {
    if (client) client.isBusy = true;
    begin();
    const over = sleep(Math.min(ms, Math.max(0, (untilUs - nowUs()) / 1_000))).then(() => {
      end();
      if (client) client.isBusy = false;
      pending.delete(over);
    });
    pending.add(over);
  }

  /** One of the two that want the same mail, once it was given some and has not acknowledged it. */
  async function reader(): Promise<Client | undefined> {
    const isReading = ({ isBusy, lives }: Client, slot: number) => {
      const last = records.findLast((record) => record.slot === lives * members.length + slot);
      return !isBusy && last?.operation === "inbox.read" && last.result?.messages?.length > 0;
    };
    const found = await untilSeen("a reader of mail", () => isOver() || clients.slice(0, 2).find(isReading));
    return found === true ? undefined : found;
  }

  async function make(deed: Deed): Promise<void> {
    const idle = clients.filter(({ isBusy }) => !isBusy);
    const client = deed === "outlast" ? await reader() : idle[Math.floor(random() * idle.length)];
    if (!client) return;
    counts[deed] = (counts[deed] ?? 0) + 1;
    const { child, network } = client;
    const ms = 100 + random() * 3_000;
    if (deed === "kill") child.kill("SIGKILL");
    else if (deed === "outlast") {
      child.kill("SIGSTOP");
      // As if the stop had begun long ago, or the clock of the database had jumped.
      await place.run("update inbox set lease_until = '-infinity'");
      await sleep(3_000);
      child.kill("SIGCONT");
      // What it still believes to hold it acknowledges in peace, or is refused.
      await sleep(300);
    } else if (deed === "stop")
      during(
        ms,
        () => child.kill("SIGSTOP"),
        () => child.kill("SIGCONT"),
        client,
      );
    else if (deed === "lose") for (const one of clients) one.network.loseNextCommit();
    else if (deed === "part") during(ms, network.part, network.heal, client);
    else if (deed === "cut") network.cut();
    else if (deed === "crash") await server.crash();
    else {
      server.freeze();
      await sleep(100 + random() * 2_000);
      server.thaw();
    }
  }

  try {
    for (const [slot, member] of members.entries()) {
      const network = await openNetwork(urls.get(member) ?? "");
      const client: Client = { network, lives: 0, isBusy: false, child: undefined as never };
      clients.push(client);
      client.child = start(slot, 0);
    }
    for (const deed of Object.keys(weights) as Deed[]) {
      await sleep(300 + random() * 300);
      await make(deed);
    }
    while (!isOver()) {
      await sleep(50 + random() * 400);
      await make(pick(random, weights) as Deed);
    }
    await Promise.all(pending);
    const left = () => clients.filter(({ child }) => child.exitCode === null && child.signalCode === null);
    await untilSeen("the end of all clients", () => left().length === 0);
  } finally {
    endAll();
    process.off("exit", endAll);
    for (const { network } of clients) await network.close();
  }
  const calls: readonly CallOfClient[] = records;
  for (const { outcome } of calls) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return { faults: [...faults, ...faultsIn(calls, await holdingOf(place))], counts };
}

/** A team of which each member has a host, by the url of that. */
async function crewIn(place: Place): Promise<ReadonlyMap<string, string>> {
  await migratePostgresStore(place);
  const store = await openPostgresStore(place);
  const lead = { createdAt: 1, leadSessionId: "one", leadModel: "m", cwd: "/" };
  const team = await store.createTeam({ name: "crew", revision: "2026-11", ...lead });
  const urls = new Map<string, string>();
  for (const name of new Set(members)) {
    await team.join({ name, agentType: "a", model: "m", prompt: "p", joinedAt: 1, cwd: "/" });
    const { role, url } = await place.newRole();
    await grantHost({ url: place.url, role, team: "crew", members: [name] });
    urls.set(name, url);
  }
  await store.close();
  return urls;
}

async function holdingOf({ run }: Place): Promise<Holding> {
  const rows = <Row>(statement: string) => run(statement) as Promise<readonly Row[]>;
  const events = await rows<{ tag: string }>(
    "select doc ->> 'tag' as tag from event where doc ->> 'tag' <> '' order by seq",
  );
  return {
    messages: await rows("select name as inbox, doc ->> 'text' as text, state from message order by name, seq"),
    tasks: await rows(
      `select id::text, doc ->> 'subject' as subject, doc ->> 'status' as status, doc ->> 'owner' as owner
       from task order by id`,
    ),
    events: events.map(({ tag }) => tag),
    members,
  };
}
