import { setTimeout as delay } from "node:timers/promises";
import type { Observation } from "@troupe/team";
import type { BackendRecord } from "../records.ts";
import { isRunning } from "../running.ts";
import type { Tmux } from "./client.ts";
import { lastLines, type Pane, paneOf } from "./panes.ts";

export type Ended = Extract<Observation, { kind: "ended" }>;

/** How a teammate ended whose process runs no more: its pane tells. */
export async function endOf(tmux: Tmux, record: BackendRecord): Promise<Ended> {
  const { name, server } = record;
  const pane = await settled(tmux, record).catch(() => undefined);
  if (pane?.ended) {
    const { status, signal } = pane.ended;
    const how =
      status === ""
        ? `was ended by ${signal === "" ? "a signal" : `signal ${signal}`}`
        : `ended with exit code ${status}`;
    const lines = await lastLines(tmux, pane);
    const detail = lines === "" ? `${name} ${how}` : `${name} ${how}; its last words:\n${lines}`;
    return { kind: "ended", reason: status === "" ? "killed" : "exit", detail };
  }
  if (server && !(await isRunning(server.process)))
    return { kind: "ended", reason: "lost", detail: `the tmux server of ${name} has ended` };
  return { kind: "ended", reason: "killed", detail: `the pane of ${name} was closed` };
}

/**
 * tmux hears of the end and of the exit code apart from each other. Of a program that ends at once
 * tmux 3.3 may miss the latter until the next signal of that kind, which costs it nothing.
 */
async function settled(tmux: Tmux, record: BackendRecord): Promise<Pane | undefined> {
  for (let look = 0; ; look += 1) {
    const pane = await paneOf(tmux, record);
    if (!pane || pane.ended?.status || pane.ended?.signal || look === 25) return pane;
    await delay(20);
    if (pane.ended && record.server && (await isRunning(record.server.process)))
      process.kill(record.server.process.pid, "SIGCHLD");
  }
}
