import type { Revision } from "@troupe/protocol";
import type { AgentResult } from "@troupe/protocol/tools";
import type { Queue } from "../queue.ts";
import { type BackgroundStatus, type BackgroundTask, type BackgroundTasks, noticeOf } from "./background-task.ts";

/** An agent that works on another machine. */
export interface RemoteAgent {
  readonly id: string;
  /** Where a person can watch it. */
  readonly sessionUrl: string;
  readonly outputFile: string;
  status(): BackgroundStatus;
  /** Its report, or what it has said so far. */
  output(): string;
  /** Never rejects. */
  readonly ended: Promise<void>;
  /** Resolves when it has ended. */
  stop(): Promise<void>;
}

/** A task for an agent on another machine. */
export interface RemoteTask {
  readonly description: string;
  readonly prompt: string;
  readonly subagent_type?: string | undefined;
  readonly model?: string | undefined;
}

/** Sets an agent to work on another machine; rejects with words that say why it cannot. */
export type StartRemote = (task: RemoteTask, signal: AbortSignal) => Promise<RemoteAgent>;

export interface RemoteAgents extends BackgroundTasks {
  start(task: RemoteTask, signal: AbortSignal): Promise<Extract<AgentResult, { readonly status: "remote_launched" }>>;
}

/** The agents of a session on other machines; the end of each is told to the main conversation. */
export function remoteAgents(
  startRemote: StartRemote,
  { queue, revision }: { readonly queue: Pick<Queue, "notify">; readonly revision: Revision },
): RemoteAgents {
  const tasks = new Map<string, BackgroundTask>();

  function follow(agent: RemoteAgent, description: string): BackgroundTask {
    const { id, outputFile, status, output, stop } = agent;
    let isTold = false;
    const ended = agent.ended.then(() => {
      // A waiter hears the end first, and may say that no notification is needed.
      setImmediate(() => {
        if (isTold) return;
        isTold = true;
        const summary = `Remote agent "${description}" ${status() === "killed" ? "was stopped" : status()}`;
        const end = { status: endedAs(status()), summary, result: output() };
        queue.notify(noticeOf({ taskId: id, outputFile, ...end }, { agent: undefined, revision }));
      });
    });
    return {
      id,
      type: "remote_agent",
      command: description,
      outputFile,
      status,
      exitCode: () => undefined,
      output,
      ended,
      markTold() {
        isTold = true;
        return undefined;
      },
      stop,
    };
  }

  return {
    find: (id) => tasks.get(id),
    running: () => [...tasks.values()].filter((task) => task.status() === "running"),
    async start(task, signal) {
      const agent = await startRemote(task, signal);
      const { id: taskId, sessionUrl, outputFile } = agent;
      const { description, prompt } = task;
      tasks.set(taskId, follow(agent, description));
      return { status: "remote_launched", taskId, sessionUrl, description, prompt, outputFile };
    },
  };
}

const endedAs = (status: BackgroundStatus) => (status === "running" ? "completed" : status);
