import type { Revision, TaskNotification } from "@troupe/protocol";
import type { AbortReason } from "../journal/entry.ts";
import { createAbort, reasonOf } from "../loop/abort.ts";
import type { Telling } from "../loop/tool.ts";
import type { CommandDraft } from "../queue.ts";
import { type BackgroundStatus, type BackgroundTask, noticeOf } from "./background-task.ts";

/** How a job ended. */
export interface JobEnd {
  readonly status: Exclude<BackgroundStatus, "running">;
  /** Its report, or what it had said until then. */
  readonly text: string;
  /** The error message. */
  readonly failure?: string;
  /** What is said of it in the notification, where that is not as usual. */
  readonly words?: string;
  readonly usage: JobUsage;
}

/** The usage over all its turns. */
export interface JobUsage {
  readonly subagentTokens: number;
  readonly toolUses: number;
  readonly durationMs: number;
}

export const noUsage: JobUsage = { subagentTokens: 0, toolUses: 0, durationMs: 0 };

/** The place of its own that an agent leaves behind, since it has changed something there. */
export interface Remains {
  readonly worktree?: { readonly worktreePath: string; readonly worktreeBranch?: string };
  /** Why it is left. */
  readonly note?: string;
}

/** What an ended job leaves, and the work on it when its end was dealt with. */
export interface Tidied extends Remains {
  readonly afterwards?: (() => Promise<void>) | undefined;
}

export interface JobStart {
  readonly id: string;
  /** A second name to find it by, which no other may have. */
  readonly name?: string;
  /** The purpose, in a few words. */
  readonly description: string;
  readonly outputFile: string;
  /** The call that began it; a run that goes on from an earlier one has none. */
  readonly call?: string | undefined;
  /** The agent that started it and hears of its end; the main conversation has no id. */
  readonly agent?: string | undefined;
  readonly isBackground: boolean;
  /** Nobody can go on with it once it has ended, so its name is free then. */
  readonly isOneShot?: boolean | undefined;
  /** The signal of the caller that waits for it, which ends it until it is in the background. */
  readonly waiter: AbortSignal;
  readonly run: (signal: AbortSignal) => Promise<JobEnd>;
  /** The text it has said so far. */
  readonly output: () => string;
  /** The slow clean-up after the end; a caller that waits for the end does not wait for this. */
  readonly tidy: (isBackground: boolean, signal: AbortSignal) => Promise<Tidied>;
  /** Called before the caller knows that it need not wait any more. */
  readonly left?: (() => void) | undefined;
  /** Its end as something tells of it that is about to stand in a journal. */
  readonly telling: Telling;
}

/** One run of an agent, however many look at it. */
export interface Job extends BackgroundTask {
  readonly name: string | undefined;
  readonly outputFile: string;
  /** The agent that started it. */
  readonly agent: string | undefined;
  readonly call: string | undefined;
  readonly isOneShot: boolean;
  readonly isBackground: () => boolean;
  /** From here on nobody waits for it; nothing is started again. */
  toBackground(): void;
  readonly backgrounded: Promise<void>;
  /** Absent while it runs. */
  end(): JobEnd | undefined;
  abort(reason: AbortReason): void;
  /** Its end is told by nobody of this process: the next one of the session does. */
  hush(): void;
  /** Resolves when it is tidied up. */
  readonly tidied: Promise<Remains>;
  /** Resolves when the agent or person to notify has been told. */
  readonly settled: Promise<void>;
}

/** A job as watchers are told of it. */
export interface JobNews {
  readonly kind: "job";
  readonly agent: { readonly id: string; readonly description: string };
  readonly status: BackgroundStatus;
  readonly isBackground: boolean;
  readonly outputFile: string;
  /** The call that began it, and the agent that made that; the main conversation has no id. */
  readonly call?: string | undefined;
  readonly caller?: string | undefined;
}

export const newsOf = ({ id, command, status, isBackground, outputFile, call, agent: caller }: Job): JobNews => ({
  kind: "job",
  agent: { id, description: command },
  status: status(),
  isBackground: isBackground(),
  outputFile,
  ...(call !== undefined && { call }),
  ...(caller !== undefined && { caller }),
});

export interface JobDeps {
  readonly tell: (notification: CommandDraft) => void;
  /** Keeps work until its end was dealt with. */
  readonly keep: (work: () => Promise<void>) => void;
  /** The agent that hears of its end, at this moment. */
  readonly listener: () => string | undefined;
  readonly revision: Revision;
  readonly show: (message: string) => void;
  /** Called when it is in the background or has ended. */
  readonly onChange: (job: Job) => void;
}

/** What becomes of the notification of an end. */
type Fate = "unknown" | "told" | "queued" | "heard";

const fates: Readonly<Record<Fate, string>> = {
  unknown: "comes once it has ended and is tidied up",
  told: "none: a result has told its end",
  queued: "waits in the queue, and is heard with the next turn",
  heard: "was heard",
};

/** Starts a job. Status comes first: what takes its time after the end keeps nobody waiting. */
export function startJob(start: JobStart, { tell, keep, listener, revision, show, onChange }: JobDeps): Job {
  const { id, name, description, outputFile, call, waiter, agent, telling } = start;
  const { signal, abort } = createAbort();
  /** Released with the end: it holds the agent with its whole conversation. */
  let live: Pick<JobStart, "run" | "output" | "tidy" | "left"> | undefined = start;
  let isBackground = start.isBackground;
  let fate: Fate = "unknown";
  let end: JobEnd | undefined;
  let leave = () => {};
  const backgrounded = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const endWithWaiter = () => abort(reasonOf(waiter));
  const toBackground = () => {
    if (end || isBackground) return;
    isBackground = true;
    waiter.removeEventListener("abort", endWithWaiter);
    live?.left?.();
    leave();
    onChange(job);
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
      onChange(job);
    });
  const tidied = ended
    .then((): Tidied | Promise<Tidied> => live?.tidy(isBackground, signal) ?? {})
    .catch((error: Error): Tidied => {
      show(`The agent "${description}" (${id}) was not cleaned up completely: ${error.message}`);
      return {};
    });
  const settled = tidied.then(async ({ afterwards, ...remains }) => {
    live = undefined;
    // A foreground waiter runs first: it may mark the end as told, and then no notification is
    // sent.
    await new Promise(setImmediate);
    // A caller that was cancelled asks for no result any more.
    if (!isBackground && waiter.aborted) telling.kept();
    if (afterwards) keep(afterwards);
    if (!end || !isBackground || fate !== "unknown") return;
    fate = "queued";
    const notice = noticeOf(notificationOf(end, remains), { agent: listener(), revision });
    const origin = { kind: "task-notification", task: id, end: telling.end } as const;
    const kept = () => {
      fate = "heard";
      telling.kept();
    };
    tell({ ...notice, origin, kept });
  });

  function notificationOf({ status, text, failure, words, usage }: JobEnd, remains: Remains): TaskNotification {
    const usual = {
      completed: "completed",
      failed: `failed: ${failure ?? "for an unknown reason"}`,
      killed: "was stopped",
    };
    const summary = `Agent "${description}" ${words ?? usual[status]}`;
    const about = { taskId: id, ...(call !== undefined && { toolUseId: call }), outputFile };
    return { ...about, status, summary, result: text, usage: { ...usage }, ...remains };
  }

  const job: Job = {
    id,
    type: "local_agent",
    name,
    command: description,
    outputFile,
    agent,
    call,
    isOneShot: start.isOneShot ?? false,
    status: () => end?.status ?? "running",
    exitCode: () => undefined,
    output: said,
    ended,
    markTold() {
      if (fate === "unknown") fate = "told";
      return telling;
    },
    hush() {
      fate = "told";
    },
    notification: () =>
      fate === "unknown" && !isBackground ? "none: its caller waits for the result of the call" : fates[fate],
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
  return job;
}
