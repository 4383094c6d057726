import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { awaited, untilSeen } from "../../scripts/awaited.ts";
import { programAt } from "../program.ts";
import { describeWith } from "../require.ts";
import { crew, specOf, teammate, testMachine } from "./tmux-machine.ts";

const lead = programAt(join(import.meta.dirname, "tmux-lead.mjs"));

/** Runs a lead that is killed at a moment, and recovers as the next one. */
async function killed(place: "inside" | "outside", moment: string) {
  const one = testMachine();
  const users = one.users();
  const { PATH } = one.recorded();
  const shim = join(one.dir, "bin/tmux");
  const [, when, nth] = /^(before|behind) client (\d)$/.exec(moment) ?? [];
  // The lead is the parent of each client.
  const kill = `n=$(tr -dc '\\036' <'${one.dir}/clients' | wc -c); [ "$n" -ne ${nth} ] || kill -9 $PPID`;
  const script = readFileSync(shim, "utf8");
  if (when === "before") writeFileSync(shim, script.replace(/^exec/m, `${kill}\nexec`));
  if (when === "behind") writeFileSync(shim, script.replace(/^exec (.*)$/m, `$1; ${kill}`));
  const environment = { ...(place === "inside" ? users.environment : one.environment), PATH };
  const file = join(one.dir, "crew.alice");
  const records = join(one.dir, "records");
  const given = {
    spec: specOf("alice"),
    launch: { file: "/bin/sh", args: ["-c", teammate, "teammate", file, "go"], environment: { PATH } },
    environment,
    socket: join(one.dir, "own"),
    records,
    ready: `${file}.ready`,
    moment,
  };
  const child = spawn(process.execPath, [lead, JSON.stringify(given)], { stdio: ["ignore", "pipe", "inherit"] });
  const over = new Promise((resolve) => child.once("close", resolve));
  await awaited("the lead's end", over);
  await untilSeen("the end of a client that was on its way", () => one.clients().length === 0);
  rmSync(join(one.dir, "bin"), { recursive: true });
  const backend = one.open({ environment: { ...environment, PATH: one.environment["PATH"] } });
  const { adopted } = await backend.recover(crew, new Set(["alice"]));
  for (const mate of adopted) await backend.stop(mate, 1_000);
  await untilSeen("the last of what began", async () => (await one.running("crew")).length === 0);
  const files = (existsSync(records) ? readdirSync(records) : []).filter((name) => !/\.json\.tmp\.\w+$/.test(name));
  const panes = one.panes("users", "#{pane_id}");
  const own = readdirSync(one.dir).includes("own") ? await ended(() => one.panes("own", "#{pane_id}")) : [];
  return { adopted: adopted.length, files, panes, own };
}

/** The panes of a server that goes with the last of them. */
async function ended(look: () => readonly string[]): Promise<readonly string[]> {
  try {
    return look();
  } catch {
    return [];
  }
}

const moments = [
  ["before client 1", 0],
  ["behind client 1", 0],
  ["before client 2", 0],
  ["behind client 2", 0],
  ["at ready", 0],
  ["spawned", 1],
] as const;

describeWith(
  "tmux",
  "a lead that is killed while it adds a teammate leaves nothing that the next one does not find",
  () => {
    for (const place of ["inside", "outside"] as const) {
      test.each(moments)(`${place} tmux: %s`, async (moment, adopted) => {
        expect(await killed(place, moment)).toEqual({ adopted, files: [], panes: ["%0"], own: [] });
      });
    }
  },
);
