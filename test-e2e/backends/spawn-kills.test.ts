import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { inProcessBackend } from "@troupe/backends/in-process";
import { processBackend } from "@troupe/backends/process";
import { openFileStore } from "@troupe/store/files";
import { type Backend, createSpawner, removeMember } from "@troupe/team";
import { expect, test } from "vitest";
import { awaited, untilSeen } from "../../scripts/awaited.ts";
import { killAll } from "../processes.ts";
import { programAt } from "../program.ts";
import { describeWith } from "../require.ts";
import { randomFrom } from "../store/soak/random.mjs";
import { type Machine, machine, specOf, teammate } from "./tmux-machine.ts";

/** `npm run test:spawns` does it two hundred times, with another seed each time. */
const cycles = Number(process.env["TROUPE_SPAWNS"] ?? 20);
/** When each kill comes is decided by it; what the machine does meanwhile is not. */
const seed = Number(process.env["TROUPE_SPAWNS_SEED"] ?? 14);

const lead = programAt(join(import.meta.dirname, "spawning-lead.mjs"));
const places = ["in-process", "process", "tmux outside", "tmux inside"] as const;
type Place = (typeof places)[number];

/** A spawn takes about half of this. */
const spawnMs = 300;

describeWith(
  "tmux",
  "a lead, and now and then its teammate or tmux server too, killed at any moment of a spawn",
  () => {
    test(`leave nothing in ${cycles} cycles that the next lead does not end: no process, pane, server, record, lock or directory`, {
      timeout: 60_000 + cycles * 5_000,
    }, async () => {
      const random = randomFrom(seed);
      const fell = new Map<string, number>();
      try {
        for (let nth = 0; nth < cycles; nth += 1) {
          const place = places[nth % places.length] ?? "process";
          const [afterMs, alsoMs] = [random() * spawnMs, random() < 0.4 ? random() * spawnMs : undefined];
          const one = machine();
          try {
            const moment = await killed(one, place, afterMs, alsoMs);
            expect(await recovered(one, place), `cycle ${nth}: ${place}, killed ${moment}`).toEqual(nothing);
            fell.set(`${place}, ${moment}`, (fell.get(`${place}, ${moment}`) ?? 0) + 1);
          } finally {
            await one.close();
          }
        }
      } finally {
        const counts = JSON.stringify(Object.fromEntries(fell));
        console.log(`killed with TROUPE_SPAWNS=${cycles} TROUPE_SPAWNS_SEED=${seed}: ${counts}`);
      }
    });
  },
);

const nothing = { running: [], panes: [], files: [], teams: [], tasks: [], locks: [] };

/** Whether it fell before or behind the end of the spawn. */
async function killed(one: Machine, place: Place, afterMs: number, alsoMs: number | undefined): Promise<string> {
  const users = place === "tmux inside" ? one.users() : undefined;
  const file = join(one.dir, "crew.alice");
  const given = {
    backend: place.split(" ")[0],
    root: join(one.dir, "root"),
    records: join(one.dir, "records"),
    spec: specOf("alice", { revision: "2026-02" }),
    launch: {
      file: "/bin/sh",
      args: ["-c", teammate, "teammate", file, "go"],
      environment: { PATH: process.env["PATH"] },
    },
    environment: users?.environment ?? one.environment,
    socket: join(one.dir, "own"),
    ready: `${file}.ready`,
  };
  const child = spawn(process.execPath, [lead, JSON.stringify(given)], { stdio: ["ignore", "pipe", "ignore"] });
  let said = "";
  const over = new Promise((resolve) => child.once("close", resolve));
  await awaited(
    "the lead's begin",
    new Promise<void>((resolve) => {
      child.stdout.on("data", (text) => {
        said += text;
        resolve();
      });
    }),
  );
  const also = async () => {
    if (alsoMs === undefined) return;
    await delay(alsoMs);
    const pid = one.pidOf("crew", "alice");
    if (place === "tmux outside" && alsoMs % 2 < 1) spawnSync("tmux", ["-S", join(one.dir, "own"), "kill-server"]);
    else if (pid !== undefined) killAll([pid]);
  };
  await Promise.all([delay(afterMs).then(() => child.kill("SIGKILL")), also()]);
  await awaited("the lead's end", over);
  await untilSeen("the end of a client that was on its way", () => one.clients().length === 0);
  return said.includes("spawned") ? "behind the spawn" : "during the spawn";
}

/** What is left once the next lead has recovered, let go of those it found, and ended the team. */
async function recovered(one: Machine, place: Place) {
  const root = join(one.dir, "root");
  const records = join(one.dir, "records");
  const store = openFileStore({ root });
  const team = await store.openTeam("crew");
  if (!team) throw new Error("the lead has made no team");
  const backend = openBackend(one, place, { root, records });
  const self = await team.as("team-lead");
  const spawner = createSpawner({ team, self, backends: [backend], now: () => new Date(), graceMs: 1_000 });
  const { adopted } = await spawner.recover();
  for (const { one: mate } of adopted) await removeMember(team, mate.name, () => spawner.end(mate));
  await spawner.endStrays();
  await store.deleteTeam("crew");
  const panes = (server: string) => {
    const listed = spawnSync("tmux", ["-S", join(one.dir, server), "list-panes", "-a", "-F", "#{pane_id}"]);
    return `${listed.stdout}`.split("\n").filter((pane) => pane !== "" && !(server === "users" && pane === "%0"));
  };
  // A record that was not whole is removed by a recovery a while later.
  const files = () => namesIn(records).filter((name) => !/\.json\.tmp\.\w+$/.test(name));
  if (place === "tmux outside") await untilSeen("the end of the server", () => !running(`${one.dir}/own`).length);
  return {
    running: running(`${one.dir}/crew.alice`),
    panes: [...panes("own"), ...panes("users")],
    files: files(),
    teams: namesIn(join(root, "teams")),
    tasks: namesIn(join(root, "tasks")),
    locks: [root, records].flatMap(namesIn).filter((name) => name.endsWith(".lock")),
  };
}

function openBackend(one: Machine, place: Place, at: { readonly root: string; readonly records: string }): Backend {
  if (place === "tmux outside" || place === "tmux inside") return one.open();
  const common = { ...at, warn: () => {} };
  const rests = async () => ({ async *attendTeam() {}, close: async () => {} });
  if (place === "in-process") return inProcessBackend({ ...common, open: rests });
  const launch = () => ({ file: "/bin/false", args: [], environment: {} });
  return processBackend({ ...common, launch, ready: async () => {}, readyMs: 1 });
}

const namesIn = (directory: string): readonly string[] => (existsSync(directory) ? readdirSync(directory) : []);

/** Processes whose words name this. */
const running = (words: string): readonly string[] =>
  readdirSync("/proc").filter((pid) => {
    try {
      return pid !== String(process.pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(words);
    } catch {
      return false;
    }
  });
