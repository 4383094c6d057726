import { type Revision, renderTaskNotification, type TaskNotification } from "@troupe/protocol";
import type { Telling } from "../loop/tool.ts";
import { type CommandDraft, textBlocks } from "../queue.ts";

/** Work that goes on while the agent does something else. */
export interface BackgroundTask {
  readonly id: string;
  /** Such as `local_bash`. */
  readonly type: string;
  /** The work: the command of a shell, the description of an agent. */
  readonly command: string;
  /** Absent where it has none that its starter could read. */
  readonly outputFile?: string | undefined;
  status(): BackgroundStatus;
  exitCode(): number | undefined;
  /** The output so far, or an excerpt of it. */
  output(): string;
  /** Never rejects. */
  readonly ended: Promise<void>;
  /**
   * The model knows how it ends from elsewhere: it is not told again. What tells it bears what this
   * returns, where the end outlives the process.
   */
  markTold(): Telling | undefined;
  /** What becomes of the notification of its end, in words. */
  notification?(): string;
  /** Resolves when it has ended. */
  stop(): Promise<void>;
}

export type BackgroundStatus = "running" | "completed" | "failed" | "killed";

/** A keeper of tasks: shells here, agents elsewhere. */
export interface BackgroundTasks {
  find(id: string): BackgroundTask | undefined;
  running(): readonly BackgroundTask[];
}

/** The words by which an agent hears of work in the background; the main conversation has no id. */
export const noticeOf = (
  notification: TaskNotification,
  { agent, revision }: { readonly agent: string | undefined; readonly revision: Revision },
): CommandDraft => ({
  mode: "task-notification",
  origin: { kind: "task-notification", task: notification.taskId },
  content: textBlocks(renderTaskNotification(notification, revision)),
  ...(agent === undefined ? {} : { agent }),
});
