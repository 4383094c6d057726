import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { endTree, startOf } from "@troupe/process";
import type { Observation } from "@troupe/team";
import { expect, onTestFinished } from "vitest";
import type { Launch, SpawnSpec } from "../src/launch.ts";
import { type ProcessBackendDeps, processBackend } from "../src/process/process.ts";

export const { signal } = new AbortController();
export const crew = { team: "crew", teamCreatedAt: 1 };
/** A lead that runs no more. */
export const goneLead = { pid: 2, startedAt: "an earlier start" };
export const specOf = (name: string, more: Partial<SpawnSpec> = {}): SpawnSpec => ({
  ...crew,
  name,
  revision: "2026-11",
  leadSessionId: "s",
  agentType: "worker",
  model: "m",
  prompt: "go",
  mode: "default",
  planModeRequired: false,
  cwd: tmpdir(),
  environment: {},
  color: "blue",
  ...more,
});

/** A directory in which teammates say who they are and that they are ready. */
export function stage() {
  const top = mkdtempSync(join(realpathSync(tmpdir()), "process-"));
  const directory = join(top, "troupe", "backends");
  const warned: string[] = [];
  const file = ({ team, name }: Pick<SpawnSpec, "team" | "name">, what: string) => join(top, `${team}.${name}.${what}`);
  /** A teammate that writes down its process and does what its prompt says. */
  const launch = (spec: SpawnSpec): Launch => {
    const work = spec.prompt === "go" ? "sleep 300" : spec.prompt;
    const script = `echo $$ > "$1.pid"; [ "$2" = never ] && sleep 300; touch "$1.ready"; ${work}`;
    const args = ["-c", script, "sh", file(spec, "x").slice(0, -2), spec.model];
    return { file: "/bin/sh", args, environment: { PATH: process.env["PATH"] ?? "", PLACE: top, ...spec.environment } };
  };
  const open = (more: Partial<ProcessBackendDeps> = {}) =>
    processBackend({
      records: directory,
      readyMs: 60_000,
      launch,
      async ready(spec, over) {
        while (!existsSync(file(spec, "ready"))) await delay(5, undefined, { signal: over });
      },
      warn: (message) => warned.push(message),
      ...more,
    });
  const pidOf = (one: Pick<SpawnSpec, "team" | "name">): number =>
    existsSync(file(one, "pid")) ? Number(readFileSync(file(one, "pid"), "utf8")) : 0;
  const close = async () => {
    await endTree({ mark: `PLACE=${top}`, graceMs: 0 });
    rmSync(top, { recursive: true });
  };
  return { top, directory, warned, file, launch, open, pidOf, close };
}
export function onStage() {
  const all = stage();
  onTestFinished(all.close);
  return all;
}

export const isAlive = async (pid: number): Promise<boolean> => pid > 0 && (await startOf(pid)) !== undefined;
export async function endOf(all: AsyncIterable<Observation>): Promise<Observation | undefined> {
  let last: Observation | undefined;
  for await (const one of all) last = one;
  return last;
}

/** Nothing runs that was started on this stage. */
export async function nothingRuns(top: string): Promise<void> {
  expect(await endTree({ mark: `PLACE=${top}`, graceMs: 0 })).toEqual({ found: 0, left: 0 });
}
