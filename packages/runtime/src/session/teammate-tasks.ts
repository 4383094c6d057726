import type { Spawned } from "@troupe/team";
import type { BackgroundTask, BackgroundTasks } from "../jobs/background-task.ts";

export interface TeammateTasks extends BackgroundTasks {
  /** `watching` ends with the teammate, when its lead knows. */
  add(one: Spawned, watching: Promise<void>): void;
  /** Another name for one. */
  name(id: string, name: string): void;
}

/** Teammates as work in the background; what they say comes by mail. */
export function teammateTasks(
  /** What it does, until it has ended. */
  stateOf: (one: Spawned) => "working" | "idle" | "needs_input" | undefined,
  end: (one: Spawned) => Promise<void>,
): TeammateTasks {
  const tasks = new Map<string, BackgroundTask>();
  const names = new Map<string, string>();
  return {
    add(one, watching) {
      let isStopped = false;
      names.set(`${one.name}@${one.team}`, one.name);
      const status = () => (stateOf(one) !== undefined ? "running" : isStopped ? "killed" : "completed");
      tasks.set(one.name, {
        id: one.name,
        type: one.backend === "in-process" ? "in_process_teammate" : "teammate",
        command: `the teammate ${one.name}`,
        status,
        exitCode: () => undefined,
        output: () => `It is ${stateOf(one)?.replace("_", " ") ?? "gone"}; what it has to say comes as its messages.`,
        ended: watching,
        markTold: () => undefined,
        async stop() {
          isStopped = true;
          await end(one);
          await watching;
        },
      });
    },
    name: (id, name) => void names.set(id, name),
    find: (id) => tasks.get(id) ?? tasks.get(names.get(id) ?? ""),
    running: () => [...tasks.values()].filter((task) => task.status() === "running"),
  };
}
