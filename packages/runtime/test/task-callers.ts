import type { TaskToolsDeps } from "../src/tools/task-board.ts";
import { taskTools } from "../src/tools/task-tools.ts";
import { callBy } from "./calls.ts";
import { hooked, never } from "./hooked.ts";

/** What a team and its teammates are made from. */
export const teamOf = {
  name: "t",
  createdAt: 1,
  leadSessionId: "5833f1a8-70fb-4e32-95d9-283e44b3d214",
  leadModel: "claude-opus-4-6",
  cwd: "/work",
};
export const mate = (name: string) => ({
  name,
  agentType: "general-purpose",
  model: "sonnet",
  prompt: "Read.",
  joinedAt: 1,
  cwd: "/work",
});

/** Calls the tools of the task list, and holds what the hooks had shown and stopped. */
export function taskCaller(deps: Pick<TaskToolsDeps, "tasks"> & Partial<TaskToolsDeps>) {
  const shown: string[] = [];
  const stopped: string[] = [];
  const whole: TaskToolsDeps = {
    hooks: hooked({}),
    reports: { show: (message) => shown.push(message), stop: (reason) => stopped.push(reason) },
    revision: "2026-11",
    ...deps,
  };
  const tools = taskTools(whole);
  return {
    deps: whole,
    tools,
    shown,
    stopped,
    call: async (name: string, input: object, signal: AbortSignal = never) => {
      const tool = tools.find(({ definition }) => definition.name === name);
      if (!tool) throw new Error(`no tool ${name}`);
      const { content, isError = false } = await tool.run(input, callBy(undefined, { signal }));
      return { text: content.map(({ text }) => String(text)).join(""), isError };
    },
  };
}
