import type { Revision, TaskNotification } from "@troupe/protocol";
import { type BackgroundStatus, type BackgroundTask, type BackgroundTasks, noticeOf } from "../jobs/background-task.ts";
import type { Bounds } from "../loop/tool.ts";
import type { CommandDraft } from "../queue.ts";
import { type ShellDeps, type ShellEnd, type ShellRun, startShell } from "./shell-run.ts";

export interface ShellsDeps {
  readonly newId: () => string;
  /** Where the end of a shell is told, which is a queue. */
  readonly notify: (draft: CommandDraft) => void;
  /** The agent that owns the shells, as the queue knows it. */
  readonly agent?: string;
  readonly revision: Revision;
  /** How long a shell that seems to ask something says nothing more before the model is told. */
  readonly stallMs?: number;
}

/** A command that is to run. */
interface ShellStart {
  readonly command: string;
  readonly description?: string | undefined;
  /** The call that begins it. */
  readonly call: string;
  readonly bounds?: Bounds | undefined;
}

/** A command that its agent waits for. */
interface AwaitedShell extends ShellRun {
  /** Resolves when it is work in the background from now on. */
  readonly left: Promise<BackgroundTask>;
  /** Nobody waits for it any more, and it stays where it is. */
  over(): void;
}

/** The background shells of one agent, and those that it waits for. */
export interface Shells extends BackgroundTasks {
  /** Starts a command in the background. */
  start(start: ShellStart, deps: ShellDeps): BackgroundTask;
  /** Starts a command in the foreground; the caller ends it, until it has left. */
  wait(start: ShellStart, deps: ShellDeps): AwaitedShell;
  /** Sends the commands that the agent waits for to the background, and returns them. */
  toBackground(): readonly BackgroundTask[];
  /** Ends all of them and tells nobody; resolves when they have ended. */
  close(): Promise<void>;
}

export function createShells({ newId, notify, agent, revision, stallMs = 45_000 }: ShellsDeps): Shells {
  const tasks = new Map<string, BackgroundTask>();
  /** What sends each command that is waited for away. */
  const awaited = new Map<string, () => BackgroundTask>();
  const nameId = () => `b${newId().replaceAll("-", "").slice(0, 16)}`;

  function tell({ id, outputFile }: BackgroundTask, call: string, rest: Pick<TaskNotification, "status" | "summary">) {
    notify(noticeOf({ taskId: id, toolUseId: call, outputFile, ...rest }, { agent, revision }));
  }

  function kept(id: string, { command, description, call }: ShellStart, run: ShellRun): BackgroundTask {
    const { output, ended, end, onOutput } = run;
    let status: BackgroundStatus = "running";
    let exitCode: number | undefined;
    let isStopped = false;
    let isTold = false;
    const name = `Background command "${(description ?? command).replace(/\s+/g, " ").trim().slice(0, 200)}"`;

    const stall = setTimeout(() => {
      if (!isTold && asks(output.excerpt())) {
        tell(task, call, { summary: `${name} seems to wait for an answer, which it cannot get` });
      }
    }, stallMs).unref();
    onOutput(() => stall.refresh());

    const task: BackgroundTask = {
      id,
      type: "local_bash",
      command,
      outputFile: output.path,
      status: () => status,
      exitCode: () => exitCode,
      output: () => output.excerpt(),
      ended: ended.then((how) => {
        clearTimeout(stall);
        output.close();
        status = statusOf(how, isStopped);
        exitCode = how.code ?? undefined;
        // A foreground waiter hears the end first, and may say that no notification is needed.
        const fault = output.fault();
        const lack = fault === undefined ? "" : `; its output file does not hold all it said: ${fault}`;
        setImmediate(() => {
          if (!isTold)
            tell(task, call, {
              status,
              summary: `${name} ${wordsOf(how, isStopped)}${lack}${how.note && `. ${how.note}`}`,
            });
        });
      }),
      markTold() {
        isTold = true;
        return undefined;
      },
      async stop() {
        isStopped = true;
        end();
        await task.ended;
      },
    };
    tasks.set(id, task);
    return task;
  }

  function wait(start: ShellStart, deps: ShellDeps): AwaitedShell {
    const id = nameId();
    const run = startShell(start.command, id, deps, start.bounds);
    const over = () => void awaited.delete(id);
    const left = new Promise<BackgroundTask>((resolve) => {
      awaited.set(id, () => {
        over();
        const task = kept(id, start, run);
        resolve(task);
        return task;
      });
    });
    return { ...run, left, over };
  }

  const running = () => [...tasks.values()].filter((task) => task.status() === "running");
  return {
    start(start, deps) {
      const id = nameId();
      return kept(id, start, startShell(start.command, id, deps, start.bounds));
    },
    wait,
    toBackground: () => [...awaited.values()].map((leave) => leave()),
    find: (id) => tasks.get(id),
    running,
    async close() {
      await Promise.all(
        running().map((task) => {
          task.markTold();
          return task.stop();
        }),
      );
    },
  };
}

function statusOf({ code }: ShellEnd, isStopped: boolean): BackgroundStatus {
  if (isStopped) return "killed";
  return code === 0 ? "completed" : "failed";
}

function wordsOf({ code, signal, fault }: ShellEnd, isStopped: boolean): string {
  if (isStopped) return "was stopped";
  if (fault !== undefined) return `failed: ${fault}`;
  if (code === 0) return "completed (exit code 0)";
  return code === null ? `failed (ended by ${signal})` : `failed (exit code ${code})`;
}

/** A question stands at the end of a line that has not ended. */
const asks = (output: string): boolean => /[?:>\])] ?$/.test(output.slice(-100));
