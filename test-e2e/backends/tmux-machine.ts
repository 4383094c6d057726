import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type TmuxDeps, tmuxBackend } from "@troupe/backends/tmux";
import type { TeammateSpec } from "@troupe/team";
import { onTestFinished } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";

/** What its prompt says ends before it is ready, or never is. */
export const failing = { prompt: "end" };
export const silent = { prompt: "say nothing" };

/** A teammate: writes down its process, says that it is at work, and waits. */
export const teammate = `echo $$ >"$1.pid"
[ "$2" != "${failing.prompt}" ] || { echo "I cannot do this"; exit 3; }
[ "$2" = "${silent.prompt}" ] || : >"$1.ready"
exec sleep 1000`;

export type Spec = Parameters<TmuxDeps["launch"]>[0];

export const crew = { team: "crew", teamCreatedAt: 1 };

/** A lead that runs no more. */
export const goneLead = { pid: 2, startedAt: "an earlier start" };

export const specOf = (name: string, more: Partial<Spec> = {}): Spec => ({
  ...crew,
  name,
  revision: "2026-11",
  leadSessionId: "b7f5edcc-898c-4e36-983f-1c2e8fec7d28",
  agentType: "general-purpose",
  model: "m",
  prompt: "go",
  mode: "default" satisfies TeammateSpec["mode"],
  planModeRequired: false,
  cwd: tmpdir(),
  environment: {},
  color: "blue",
  ...more,
});

export const always = (): AbortSignal => new AbortController().signal;

/** A directory, a socket in it, and the environment of somebody who is not in tmux. */
export function machine() {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "troupe-tmux-")));
  const socket = join(dir, "own");
  const PATH = process.env["PATH"] ?? "";
  const environment: Record<string, string> = { PATH, HOME: dir, SHELL: "/bin/sh", TERM: "xterm-256color" };
  const fileOf = ({ team, name }: Pick<Spec, "team" | "name">) => join(dir, `${team}.${name}`);
  const warnings: string[] = [];

  /** Commands for a server of this machine: its answer, or that of the words it ended with. */
  const tmux = (server: string, ...args: readonly string[]) =>
    execFileSync("tmux", ["-u", "-f", "/dev/null", "-S", join(dir, server), ...args], {
      encoding: "utf8",
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 60_000,
    });

  const isAlive = (pid: number): boolean => {
    try {
      return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    } catch {
      return false;
    }
  };
  const pidOf = (team: string, name: string): number | undefined => {
    const file = `${fileOf({ team, name })}.pid`;
    const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
    return pid > 0 && isAlive(pid) ? pid : undefined;
  };

  /** Clients of tmux that run, also those of a lead that was killed. */
  const clients = () =>
    readdirSync("/proc").filter((pid) => {
      try {
        const isClient = /^tmux(: client)?$/.test(readFileSync(`/proc/${pid}/comm`, "utf8").trim());
        const words = isClient ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
        return (
          Number(pid) !== process.pid &&
          words.includes(`${dir}/`) &&
          /split-window|new-session|respawn-pane/.test(words)
        );
      } catch {
        return false;
      }
    });

  const open = (more: Partial<TmuxDeps> = {}) =>
    tmuxBackend({
      environment,
      socket,
      records: join(dir, "records"),
      readyMs: 20_000,
      warn: (message) => warnings.push(message),
      launch(spec) {
        const file = fileOf(spec);
        for (const end of ["pid", "ready"]) rmSync(`${file}.${end}`, { force: true });
        return { file: "/bin/sh", args: ["-c", teammate, "teammate", file, spec.prompt], environment: { PATH } };
      },
      async ready(spec, signal) {
        while (!existsSync(`${fileOf(spec)}.ready`)) await delay(10, undefined, { signal });
      },
      ...more,
    });

  const close = async () => {
    for (const server of readdirSync(dir)) {
      try {
        if (existsSync(join(dir, server)) && /^(own|users)/.test(server)) tmux(server, "kill-server");
      } catch {
        // It has ended already.
      }
    }
    rmSync(dir, { recursive: true, force: true });
  };

  return {
    dir,
    environment,
    warnings,
    tmux,
    open,
    close,
    pidOf,
    isAlive,
    clients,
    async running(team: string) {
      const names = readdirSync(dir).flatMap((file) => (file.endsWith(".pid") ? [file.slice(0, -4)] : []));
      return names
        .filter((name) => name.startsWith(`${team}.`))
        .map((name) => name.slice(team.length + 1))
        .filter((name) => pidOf(team, name) !== undefined);
    },
    async crash(team: string, name: string) {
      process.kill(pidOf(team, name) ?? Number.NaN, "SIGKILL");
      await untilSeen(`the end of ${name}`, () => pidOf(team, name) === undefined);
    },
    /** Puts a program in the place of tmux that writes down each client, and its calls so far. */
    recorded() {
      const bin = join(dir, "bin");
      const log = join(dir, "clients");
      const real = PATH.split(delimiter)
        .map((place) => join(place, "tmux"))
        .find(existsSync);
      const script = `#!/bin/sh\n{ printf '%s\\037' "$@"; printf '\\036'; } >>'${log}'\nexec '${real}' "$@"\n`;
      mkdirSync(bin);
      writeFileSync(join(bin, "tmux"), script, { mode: 0o755 });
      const clients = (): readonly (readonly string[])[] =>
        existsSync(log)
          ? readFileSync(log, "utf8")
              .split("\u001e")
              .slice(0, -1)
              .map((call) => call.split("\u001f").slice(0, -1))
          : [];
      return { PATH: `${bin}:${PATH}`, clients };
    },
    /** A server of a user, and the environment of a lead in a pane of it. */
    users(columns = 200, rows = 50, name = "users") {
      const opening = ["new-session", "-d", "-x", `${columns}`, "-y", `${rows}`, "-s", "dev"];
      const [pane = "", pid] = tmux(name, ...opening, "-P", "-F", "#{pane_id} #{pid}", "--", "sleep", "1000")
        .trim()
        .split(" ");
      const inside = { ...environment, TMUX: `${join(dir, name)},${pid},0`, TMUX_PANE: pane };
      return { name, pane, pid: Number(pid), environment: inside };
    },
    panes: (server: string, format: string) => tmux(server, "list-panes", "-a", "-F", format).trim().split("\n"),
  };
}

export type Machine = ReturnType<typeof machine>;

/** A machine that goes with its test. */
export function testMachine(): Machine {
  const one = machine();
  onTestFinished(one.close);
  return one;
}
