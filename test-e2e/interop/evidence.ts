import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProcess } from "@troupe/process";
import type { AskedRequest } from "./chat.ts";
import type { Stage } from "./stage.ts";

/** Keeps what a check that failed can be looked into with; the directory. */
export async function keepEvidence(stages: readonly Stage[], directory: string): Promise<string> {
  for (const [n, stage] of stages.entries()) await keepStage(stage, join(directory, String(n)));
  return directory;
}

/** All files of the home, the screens of all panes, the processes, and what each model was told. */
async function keepStage({ home, environment, requests }: Stage, place: string): Promise<void> {
  mkdirSync(place, { recursive: true });
  if (!existsSync(home)) return;
  const run = async (program: string, ...args: readonly string[]) => {
    const common = { cwd: "/", environment, timeoutMs: 20_000, keptBytes: 10_000_000 };
    const { stdout, stderr } = await runProcess({ program, args, ...common });
    return stdout + stderr;
  };
  writeFileSync(join(place, "requests.json"), JSON.stringify(requests().map(briefly), null, 1));
  writeFileSync(join(place, "processes"), await run("ps", "-eo", "pid,ppid,stat,etimes,args"));
  for (const server of ["tmux", "own"]) {
    const tmux = (...args: readonly string[]) => run("tmux", "-u", "-S", join(home, server), ...args);
    for (const pane of (await tmux("list-panes", "-a", "-F", "#{pane_id}")).match(/%\d+/g) ?? []) {
      const screen = await tmux("capture-pane", "-p", "-J", "-S", "-500", "-t", pane);
      writeFileSync(join(place, `${server}-${pane}.screen`), screen);
    }
  }
  // A socket cannot be copied, and a file may go meanwhile.
  const isFile = (path: string) => /\/(\.claude|\.codebuddy|project)(\/|$)/.test(path) || path === home;
  try {
    cpSync(home, join(place, "home"), { recursive: true, verbatimSymlinks: true, filter: isFile });
  } catch (error) {
    writeFileSync(join(place, "not-copied"), String(error));
  }
}

/** What is new in a request, which brings all that was said before. */
function briefly({ at, path, status, isClosedEarly, json }: AskedRequest) {
  const { model, messages = [] } = (json ?? {}) as { readonly model?: string; readonly messages?: readonly unknown[] };
  return { at, path, status, isClosedEarly, model, messages: messages.length, last: messages.slice(-2) };
}
