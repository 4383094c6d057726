import { type Revision, TroupeError } from "@troupe/protocol";
import type { CommandDraft, Queue } from "../queue.ts";
import { createAfterwards } from "./afterwards.ts";
import type { BackgroundTasks } from "./background-task.ts";
import { type Job, type JobStart, startJob } from "./job.ts";

export interface JobsDeps {
  /** Where the end of a job in the background is told. */
  readonly queue: Pick<Queue, "notify" | "waiting">;
  readonly revision: Revision;
  /** Shows what went wrong after a job. */
  readonly show: (message: string) => void;
  /** Called with each job that starts, is in the background from now on, or has ended. */
  readonly onChange?: ((job: Job) => void) | undefined;
}

export interface Jobs {
  /** Throws once the session ends, and `name_taken` where another has its name. */
  start(start: JobStart): Job;
  /** Finds a job by id or name. */
  find(idOrName: string): Job | undefined;
  /** The other job that has this name, unless nobody can go on with it. */
  holder(name: string | undefined, id: string): Job | undefined;
  running(): readonly Job[];
  /** Those that an agent waits for. */
  waitedFor(agent: string | undefined): readonly Job[];
  /** Sends those that an agent waits for to the background, and returns them. */
  toBackground(agent: string | undefined): readonly Job[];
  /** Those that run, and those whose end has not been told yet. */
  unsettled(): readonly Job[];
  all(): readonly Job[];
  /**
   * Those that an agent started, and below them; of the others' ends it cannot say that they are
   * known.
   */
  below(agent: string | undefined): BackgroundTasks;
  /**
   * An agent has done what it was asked to, with all the ends that it was told of: what was kept
   * for it is given back.
   */
  dealtWith(agent: string | undefined): void;
  /** Ends all of them and tells nobody: the next process of the session does. */
  close(): Promise<void>;
}

/** The agents that a session runs besides its main conversation. */
export function createJobs({ queue, revision, show, onChange = () => {} }: JobsDeps): Jobs {
  const jobs = new Map<string, Job>();
  const names = new Map<string, string>();
  const unsettled = new Set<Job>();
  const afterwards = createAfterwards({ queue, show });
  let isClosing = false;
  const all = () => [...jobs.values()];
  const running = () => all().filter((job) => job.status() === "running");
  const find = (idOrName: string) => jobs.get(idOrName) ?? jobs.get(names.get(idOrName) ?? "");

  const waitedFor = (agent: string | undefined) =>
    running().filter((job) => job.agent === agent && !job.isBackground());

  function holder(name: string | undefined, id: string): Job | undefined {
    const job = name === undefined ? undefined : find(name);
    return job && job.id !== id && !(job.isOneShot && job.status() !== "running") ? job : undefined;
  }

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
        return job?.agent === agent ? job : job && { ...job, markTold: () => undefined };
      },
      running: () => running().filter(isBelow),
    };
  }

  return {
    start(start) {
      if (isClosing) throw new Error("the session is ending and starts no more agents");
      const { agent, name, id } = start;
      const other = holder(name, id);
      if (other) throw new TroupeError("name_taken", nameTaken(other), { name, holder: other.id });
      afterwards.drop(id);
      const tell = (draft: CommandDraft) => void queue.notify(draft);
      const keep = (work: () => Promise<void>) => afterwards.add(id, listener(agent), work);
      const deps = { tell, keep, listener: () => listener(agent), revision, show, onChange };
      const job = startJob(start, deps);
      jobs.set(id, job);
      unsettled.add(job);
      const settle = () => unsettled.delete(job);
      void job.settled.then(settle, settle);
      if (name !== undefined) names.set(name, id);
      onChange(job);
      return job;
    },
    find,
    holder,
    running,
    waitedFor,
    toBackground(agent) {
      const sent = waitedFor(agent);
      for (const job of sent) job.toBackground();
      return sent;
    },
    unsettled: () => [...unsettled],
    all,
    below,
    dealtWith: afterwards.dealtWith,
    async close() {
      isClosing = true;
      for (const job of running()) job.hush();
      // Those too that have ended and still tidy up.
      for (const job of unsettled) job.abort("shutdown");
      await Promise.all(all().map(({ settled }) => settled));
      await afterwards.close();
    },
  };
}

/** Why a name cannot be had, and what to do. */
export function nameTaken({ id, name, status, command }: Job): string {
  const state = status() === "running" ? "works" : "has ended and can go on";
  return `the name ${name ?? id} is in use: the agent ${id} ("${command}"), which ${state}, has it; send it a message, or choose another name`;
}
