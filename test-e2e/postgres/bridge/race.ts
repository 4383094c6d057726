import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Revision } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { migratePostgresStore, pulsesIn } from "@troupe/store-postgres";
import { untilSeen } from "../../../scripts/awaited.ts";
import { memory } from "../../../scripts/memory.ts";
import { main } from "../../command-line.ts";
import { programAt } from "../../program.ts";
import { pick, randomFrom } from "../../store/soak/random.mjs";
import { type Network, openNetwork } from "../network.ts";
import type { Place, Server } from "../server.ts";

/** Who lives where; the first of each works by the file store, the second in place. */
const homes = { a: ["ann", "abe"], b: ["bob", "bea"], c: ["cat", "cal"] } as const;
type Host = keyof typeof homes;
const hosts = Object.keys(homes) as Host[];
const members = Object.values(homes).flat();

/** How likely each fault is; each comes at least once. */
const weights = { kill: 40, stop: 40, crash: 10, freeze: 10, part: 10, cut: 10, lose: 10 };
type Deed = keyof typeof weights;
/** One that is lost as it begins is waited for fifteen seconds: that is for long rounds. */
const { lose: _, ...brief } = weights;

export interface Outcome {
  readonly faults: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

interface Machine {
  readonly host: Host;
  readonly root: string;
  /** Between its bridge and the server. */
  readonly network: Network;
  bridge: ChildProcess;
  isBusy: boolean;
}

/** Has clients of three machines work on one team while bridges, networks and server fail. */
export async function race(
  server: Server,
  { seconds, seed, revision }: { seconds: number; seed: number; revision: Revision },
): Promise<Outcome> {
  const place = await server.newPlace();
  await migratePostgresStore(place);
  const random = randomFrom(seed);
  const counts: Record<string, number> = {};
  const faults: string[] = [];
  const machines: Machine[] = [];
  const lines: [said: string, about: string, number: number, member: string][] = [];
  const likely: Partial<Record<Deed, number>> = seconds < 30 ? brief : weights;
  let isOver = false;

  function start(host: Host, root: string, { url }: Network): ChildProcess {
    // Over connections that are dead nobody waits for a minute here.
    const words = ["bridge", "crew", "--store", `${url}&query_timeout=2000`, "--host", host, "--root", root];
    const child = spawn(process.execPath, [main, ...words], { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr?.on("data", (text) => {
      said += text;
    });
    child.once("close", async (code, signal) => {
      if (isOver) return;
      // A bridge that begins while there is no server says so and ends, and is begun again.
      const isRight = signal === "SIGKILL" || said.includes("cannot be reached");
      if (!isRight) faults.push(`the bridge of ${host} ended with ${code ?? signal}: ${said}`);
      await sleep(100);
      const machine = machines.find((one) => one.host === host);
      if (machine && !isOver) machine.bridge = start(host, root, machine.network);
    });
    return child;
  }

  async function make(deed: Deed): Promise<void> {
    const idle = machines.filter(({ isBusy }) => !isBusy);
    const machine = idle[Math.floor(random() * idle.length)];
    if (!machine) return;
    counts[deed] = (counts[deed] ?? 0) + 1;
    if (deed === "kill") machine.bridge.kill("SIGKILL");
    else if (deed === "cut") machine.network.cut();
    else if (deed === "lose") machine.network.lose();
    else if (deed === "part") {
      machine.network.part();
      void sleep(100 + random() * 2_000).then(() => machine.network.heal());
    } else if (deed === "crash") await server.crash();
    else if (deed === "freeze") {
      server.freeze();
      await sleep(100 + random() * 1_500);
      server.thaw();
    } else {
      const { bridge } = machine;
      machine.isBusy = true;
      bridge.kill("SIGSTOP");
      void sleep(100 + random() * 2_000).then(() => {
        bridge.kill("SIGCONT");
        machine.isBusy = false;
      });
    }
  }

  try {
    for (const host of hosts) {
      const root = mkdtempSync(join(memory, `race-${host}-`));
      if (host === "a") await beginTeam(root, revision);
      const network = await openNetwork(place.url);
      machines.push({ host, root, network, bridge: start(host, root, network), isBusy: false });
      await untilSeen(`the team on ${host}`, () => textOf(root, "teams/crew/config.json") !== "");
      if (host === "a") await untilSeen("the team in the database", () => isShared(place));
      await joinAll(root, homes[host]);
    }
    const knowsAll = ({ root }: Machine) =>
      members.every((name) => textOf(root, "teams/crew/config.json").includes(`"${name}@crew"`));
    await untilSeen("all members everywhere", () => machines.every(knowsAll));

    const writers = machines.flatMap(({ host, root }) =>
      homes[host].map((member, at) => {
        const task = {
          root,
          member,
          members,
          isPlain: at === 1,
          seed: Math.floor(random() * 2 ** 32),
          ms: seconds * 1_000,
        };
        const program = programAt(join(import.meta.dirname, "../bridge-writer.mjs"));
        const child = spawn(process.execPath, [program, JSON.stringify(task)], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        createInterface({ input: child.stdout }).on("line", (line) => {
          const [said, about, number = 0] = JSON.parse(line);
          lines.push([said, about, number, member]);
          counts[said] = (counts[said] ?? 0) + 1;
        });
        return new Promise<void>((resolve) => {
          child.once("close", (code) => {
            if (code !== 0) faults.push(`the client of ${member} ended with ${code}`);
            resolve();
          });
        });
      }),
    );
    const working = Promise.all(writers).then(() => true);
    for (const deed of Object.keys(likely) as Deed[]) {
      await sleep(300 + random() * 500);
      await make(deed);
    }
    while (!(await Promise.race([working, sleep(300 + random() * 1_500)]))) await make(pick(random, likely) as Deed);
    const settled = async () => {
      await sleep(100);
      return faultsIn(machines, lines).length === 0;
    };
    await untilSeen("all that was sent", settled).catch(() => {});
    await sleep(500);
    const found = [...faults, ...faultsIn(machines, lines)];
    if (found.length > 0) for (const { host, root } of machines) found.push(`${host} says ${pulseText(root)}`);
    return { faults: found, counts };
  } finally {
    isOver = true;
    for (const { bridge, root, network } of machines) {
      const ended = new Promise((resolve) => bridge.once("close", resolve));
      if (bridge.exitCode === null && bridge.signalCode === null) {
        bridge.kill("SIGKILL");
        await ended;
      }
      await network.close();
      rmSync(root, { recursive: true, force: true });
    }
  }
}

async function beginTeam(root: string, revision: Revision): Promise<void> {
  const store = openFileStore({ root });
  await store.createTeam({ name: "crew", revision, createdAt: 1, leadSessionId: "one", leadModel: "m", cwd: "/" });
  await store.close();
}

async function joinAll(root: string, names: readonly string[]): Promise<void> {
  const store = openFileStore({ root });
  const team = await store.openTeam("crew");
  for (const name of names) await team?.join({ name, agentType: "a", model: "m", prompt: "p", joinedAt: 1, cwd: "/" });
  await store.close();
}

const isShared = async ({ run }: Place): Promise<boolean> =>
  (await run("select from team where name = 'crew' and ended_at is null")).length > 0;

const pulseText = (root: string): string => JSON.stringify(pulsesIn(root).map(({ pulse }) => pulse));

function textOf(root: string, path: string): string {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return "";
  }
}

/** What is lost, doubled, out of order, or had by two. */
function faultsIn(machines: readonly Machine[], lines: readonly [string, string, number, string][]): string[] {
  const faults: string[] = [];
  for (const { host, root } of machines)
    for (const name of homes[host]) {
      const text = textOf(root, `teams/crew/inboxes/${name}.json`) || "[]";
      const entries = JSON.parse(text) as readonly { readonly from: string; readonly text: string }[];
      for (const sender of members) {
        const numbers = entries.filter(({ from }) => from === sender).map((entry) => Number(entry.text.split(" ")[1]));
        const sent = lines.filter(([said, to, , by]) => said === "sent" && to === name && by === sender).length;
        const wanted = Array.from({ length: sent }, (_, at) => at + 1);
        if (numbers.join() !== wanted.join())
          faults.push(`of ${sender} ${name} has ${numbers.join()} and was sent ${wanted.at(-1) ?? 0}`);
      }
    }
  const claims = new Map<string, string[]>();
  for (const [said, id, , by] of lines) if (said === "claimed") claims.set(id, [...(claims.get(id) ?? []), by]);
  for (const [id, winners] of claims)
    if (winners.length > 1) faults.push(`task ${id} was claimed by ${winners.join()}`);
  const tasksOf = ({ root }: Machine) =>
    readdirSync(join(root, "tasks/crew"))
      .flatMap((name) => (/^\d+\.json$/.test(name) ? [JSON.parse(textOf(root, `tasks/crew/${name}`) || "{}")] : []))
      .map(({ id, status, owner = "" }) => `${id} ${status} ${/^host\./.test(owner) ? "" : owner}`)
      .sort();
  const [one = [], ...others] = machines.map(tasksOf);
  for (const other of others)
    if (other.join() !== one.join()) faults.push(`the tasks of two machines differ: ${one.join()} and ${other.join()}`);
  const created = lines.filter(([said]) => said === "created").map(([, id]) => id);
  for (const id of created) if (!one.some((line) => line.startsWith(`${id} `))) faults.push(`task ${id} is gone`);
  for (const [id, [winner]] of claims)
    if (!one.some((line) => line.startsWith(`${id} `) && line.endsWith(` ${winner}`)))
      faults.push(`task ${id} is not ${winner}'s`);
  return faults;
}
