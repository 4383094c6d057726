import { messageOf } from "@troupe/protocol";
import type { Queue } from "../queue.ts";

/** Work on what ended jobs have left, each put off until its end was dealt with. */
export interface Afterwards {
  /** `agent` hears of the end of the job, or knows of it already. */
  add(job: string, agent: string | undefined, work: () => Promise<void>): void;
  /** The job begins anew, and with it what it had left. */
  drop(job: string): void;
  /** The agent has done what it was asked to. */
  dealtWith(agent: string | undefined): void;
  /** Ends what can be ended: of a notification that still waits, the next process may hear. */
  close(): Promise<void>;
}

export function createAfterwards({
  queue,
  show,
}: {
  readonly queue: Pick<Queue, "waiting">;
  readonly show: (message: string) => void;
}): Afterwards {
  const pending = new Map<string, { readonly agent: string | undefined; readonly work: () => Promise<void> }>();
  const underWay = new Set<Promise<void>>();

  function end(isMeant: (agent: string | undefined) => boolean): void {
    for (const [job, { agent, work }] of pending) {
      if (!isMeant(agent) || isUnheard(job, agent)) continue;
      pending.delete(job);
      const done = work()
        .catch((error: unknown) => show(`What the agent ${job} has left stays: ${messageOf(error)}`))
        .finally(() => underWay.delete(done));
      underWay.add(done);
    }
  }

  const isUnheard = (job: string, agent: string | undefined): boolean =>
    queue.waiting(agent).some(({ origin }) => origin.kind === "task-notification" && origin.task === job);

  return {
    add: (job, agent, work) => void pending.set(job, { agent, work }),
    drop: (job) => void pending.delete(job),
    dealtWith: (agent) => end((one) => one === agent),
    async close() {
      end(() => true);
      await Promise.all(underWay);
    },
  };
}
