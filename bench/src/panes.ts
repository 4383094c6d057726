import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { tmuxBackend } from "@troupe/backends/tmux";
import { atLeast, atMost, type Result } from "./measure.ts";

const { signal } = new AbortController();

/** P10: clients of tmux that one spawn starts, and teammates that fit in one window of 80x24. */
export async function panes(): Promise<Record<string, Result>> {
  const tmux = programIn(process.env["PATH"] ?? "", "tmux");
  if (!tmux) return {};
  const dir = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  const log = join(dir, "clients");
  writeFileSync(join(dir, "tmux"), `#!/bin/sh\necho >>'${log}'\nexec '${tmux}' "$@"\n`);
  chmodSync(join(dir, "tmux"), 0o755);
  const environment = { PATH: [dir, process.env["PATH"]].join(delimiter), HOME: dir, TERM: "xterm-256color" };
  const socket = join(dir, "socket");
  const inside = (...args: readonly string[]) =>
    execFileSync(tmux, ["-f", "/dev/null", "-S", socket, ...args], { env: environment, encoding: "utf8" });
  try {
    const pane = inside("new-session", "-d", "-P", "-F", "#{pane_id}", "-x", "80", "-y", "24", "sleep", "600").trim();
    const server = inside("display-message", "-p", "#{pid}").trim();
    const backend = tmuxBackend({
      environment: { ...environment, TMUX: `${socket},${server},0`, TMUX_PANE: pane },
      records: join(dir, "records"),
      readyMs: 20_000,
      warn: console.error,
      launch: () => ({ file: "/bin/sleep", args: ["600"], environment: {} }),
      ready: async () => {},
    });
    const counts: number[] = [];
    const spawned = [];
    for (let n = 0; n < 16; n += 1) {
      const before = existsSync(log) ? readFileSync(log).length : 0;
      spawned.push(await backend.spawn({ ...teammate, name: `mate-${n}`, cwd: dir }, signal));
      counts.push(readFileSync(log).length - before);
    }
    const fit = inside("list-panes", "-t", pane).trim().split("\n").length - 1;
    await Promise.all(spawned.map((one) => backend.stop(one, 100)));
    return { "P10.clients": atMost(2, [Math.max(...counts)]), "P10.panes": atLeast(16, [fit]) };
  } finally {
    inside("kill-server");
    rmSync(dir, { recursive: true, force: true });
  }
}

const teammate = {
  team: "crew",
  teamCreatedAt: 1,
  revision: "2026-11",
  leadSessionId: "s",
  agentType: "general-purpose",
  model: "m",
  prompt: "go",
  mode: "default",
  planModeRequired: false,
  color: "blue",
  environment: {},
} as const;

const programIn = (path: string, name: string): string | undefined =>
  path
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find(existsSync);
