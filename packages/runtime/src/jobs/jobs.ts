import type { Revision, TaskNotification } from "@troupe/protocol";
import type { AbortReason } from "../journal/entry.ts";
import { createAbort, reasonOf } from "../loop/abort.ts";
import type { CommandDraft } from "../queue.ts";
import { type BackgroundStatus, type BackgroundTask, type BackgroundTasks, noticeOf } from "./background-task.ts";

export interface JobsDeps {
  /** Where the end of a job in the background is told, which is a queue. */
  readonly notify: (draft: CommandDraft) => void;
  readonly revision: Revision;
  /** Shows what went wrong after a job. */
  readonly show: (message: string) => void;
}

/** How a job ended. */
export interface JobEnd {
  readonly status: Exclude<BackgroundStatus, "running">;
  /** Its report, or what it had said until then. */
  readonly text: string;
  /** The error message. */
  readonly failure?: string;
  readonly usage: JobUsage;
}

/** The usage over all its turns. */
export interface JobUsage {
  readonly subagentTokens: number;
  readonly toolUses: number;
  readonly durationMs: number;
}

/** The place of its own that an agent leaves behind, since it has changed something there. */
export interface Remains {
  readonly worktree?: { readonly worktreePath: string; readonly worktreeBranch?: string };
}

export interface JobStart {
  readonly id: string;
  /** A second name to find it by, as long as no other has it. */
  readonly name?: string;
  /** The purpose, in a few words. */
  readonly description: string;
  readonly outputFile: string;
  /** The call that began it; a run that goes on from an earlier one has none. */
  readonly call?: string | undefined;
  /** The agent that started it and hears of its end; the main conversation has no id. */
  readonly agent?: string | undefined;
  readonly isBackground: boolean;
  /** The signal of the caller that waits for it, which ends it until it is in the background. */
  readonly waiter: AbortSignal;
  readonly run: (signal: AbortSignal) => Promise<JobEnd>;
  /** The text it has said so far. */
  readonly output: () => string;
  /** The slow clean-up after the end; a caller that waits for the end does not wait for this. */
  readonly tidy: () => Promise<Remains>;
}

/** One run of an agent, however many look at it. */
export interface Job extends BackgroundTask {
  /** The agent that started it. */
  readonly agent: string | undefined;
  readonly isBackground: () => boolean;
  /** From here on nobody waits for it; nothing is started again. */
  toBackground(): void;
  readonly backgrounded: Promise<void>;
  /** Absent while it runs. */
  end(): JobEnd | undefined;
  abort(reason: AbortReason): void;
  /** Resolves when it is tidied up. */
  readonly tidied: Promise<Remains>;
  /** Resolves when the agent or person to notify has been told. */
  readonly settled: Promise<void>;
}

export interface Jobs {
  /** Throws once the session ends. */
  start(start: JobStart): Job;
  /** Finds a job by id, or by the name of the one that had it last. */
  find(idOrName: string): Job | undefined;
  running(): readonly Job[];
  /** Those that run, and those whose end has not been told yet. */
  unsettled(): readonly Job[];
  all(): readonly Job[];
  /**
   * Those that an agent started, and below them; of the others' ends it cannot say that they are
   * known.
   */
  below(agent: string | undefined): BackgroundTasks;
  /** Ends all of them and tells nobody. */
  close(): Promise<void>;
}

/** The agents that a session runs besides its main conversation. */
export function createJobs({ notify, revision, show }: JobsDeps): Jobs {
  const jobs = new Map<string, Job>();
  const names = new Map<string, string>();
  const unsettled = new Set<Job>();
  let isClosing = false;
  const all = () => [...jobs.values()];
  const running = () => all().filter((job) => job.status() === "running");
  const find = (idOrName: string) => jobs.get(idOrName) ?? jobs.get(names.get(idOrName) ?? "");

  /**
   * The listener for the end of a job: the agent that started it, or the nearest above it that
   * still works.
   */
  function listener(agent: string | undefined): string | undefined {
    const job = agent === undefined ? undefined : jobs.get(agent);
    return job && job.status() !== "running" ? listener(job.agent) : agent;
  }

  function below(agent: string | undefined): BackgroundTasks {
    const isBelow = (job: Job | undefined): boolean =>
      job !== undefined &&
      (agent === undefined || job.agent === agent || (job.agent !== undefined && isBelow(jobs.get(job.agent))));
    return {
      find(idOrName) {
        const job = find(idOrName);
        if (!isBelow(job)) return undefined;
        return job?.agent === agent ? job : job && { ...job, markTold: () => {} };
      },
      running: () => running().filter(isBelow),
    };
  }

  return {
    start(start) {
      if (isClosing) throw new Error("the session is ending and starts no more agents");
      const { agent } = start;
      const tell = (notification: TaskNotification) =>
        notify(noticeOf(notification, { agent: listener(agent), revision }));
      const job = startJob(start, tell, show);
      jobs.set(start.id, job);
      unsettled.add(job);
      const settle = () => unsettled.delete(job);
      void job.settled.then(settle, settle);
      if (start.name !== undefined) names.set(start.name, start.id);
      return job;
    },
    find,
    running,
    unsettled: () => [...unsettled],
    all,
    below,
    async close() {
      isClosing = true;
      for (const job of running()) {
        job.markTold();
        job.abort("shutdown");
      }
      await Promise.all(all().map(({ settled }) => settled));
    },
  };
}

function startJob(
  start: JobStart,
  tell: (notification: TaskNotification) => void,
  show: (message: string) => void,
): Job {
  const { id, description, outputFile, call, waiter, agent } = start;
  const { signal, abort } = createAbort();
  /** Released with the end: it holds the agent with its whole conversation. */
  let live: Pick<JobStart, "run" | "output" | "tidy"> | undefined = start;
  let isBackground = start.isBackground;
  let isTold = false;
  let end: JobEnd | undefined;
  let leave = () => {};
  const backgrounded = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const endWithWaiter = () => abort(reasonOf(waiter));
  const toBackground = () => {
    if (end) return;
    isBackground = true;
    waiter.removeEventListener("abort", endWithWaiter);
    leave();
  };
  if (isBackground) leave();
  else if (waiter.aborted) endWithWaiter();
  else waiter.addEventListener("abort", endWithWaiter, { once: true });

  const said = () => end?.text ?? live?.output() ?? "";
  const broken = (error: Error): JobEnd => ({ status: "failed", text: said(), failure: error.message, usage: noUsage });
  const ended = live
    .run(signal)
    .catch(broken)
    .then((how) => {
      end = how;
      waiter.removeEventListener("abort", endWithWaiter);
    });
  const tidied = ended
    .then(() => live?.tidy() ?? {})
    .catch((error: Error): Remains => {
      show(`The agent "${description}" (${id}) was not cleaned up completely: ${error.message}`);
      return {};
    });
  const settled = tidied.then(async (remains) => {
    live = undefined;
    // A foreground waiter runs first: it may mark the end as told, and then no notification is
    // sent.
    await new Promise(setImmediate);
    if (!end || !isBackground || isTold) return;
    isTold = true;
    const { status, text, failure, usage } = end;
    const words = {
      completed: "completed",
      failed: `failed: ${failure ?? "for an unknown reason"}`,
      killed: "was stopped",
    };
    const summary = `Agent "${description}" ${words[status]}`;
    const about = { taskId: id, ...(call !== undefined && { toolUseId: call }), outputFile };
    tell({ ...about, status, summary, result: text, usage: { ...usage }, ...remains });
  });
  return {
    id,
    type: "local_agent",
    command: description,
    outputFile,
    agent,
    status: () => end?.status ?? "running",
    exitCode: () => undefined,
    output: said,
    ended,
    markTold: () => {
      isTold = true;
    },
    async stop() {
      abort("task_stop");
      await ended;
    },
    abort,
    isBackground: () => isBackground,
    toBackground,
    backgrounded,
    end: () => end,
    tidied,
    settled,
  };
}

export const noUsage: JobUsage = { subagentTokens: 0, toolUses: 0, durationMs: 0 };
