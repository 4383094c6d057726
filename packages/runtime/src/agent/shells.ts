import type { Revision, TaskNotification } from "@troupe/protocol";
import { type BackgroundStatus, type BackgroundTask, type BackgroundTasks, noticeOf } from "../jobs/background-task.ts";
import type { Bounds } from "../loop/tool.ts";
import type { CommandDraft } from "../queue.ts";
import { type ShellDeps, type ShellEnd, startShell } from "./shell-run.ts";

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

/** A command that is to run in the background. */
interface ShellStart {
  readonly command: string;
  readonly description?: string | undefined;
  /** The call that begins it. */
  readonly call: string;
  readonly bounds?: Bounds | undefined;
}

/** The background shells of one agent. */
export interface Shells extends BackgroundTasks {
  start(start: ShellStart, deps: ShellDeps): BackgroundTask;
  /** Ends all of them and tells nobody; resolves when they have ended. */
  close(): Promise<void>;
}

export function createShells({ newId, notify, agent, revision, stallMs = 45_000 }: ShellsDeps): Shells {
  const tasks = new Map<string, BackgroundTask>();

  function tell({ id, outputFile }: BackgroundTask, call: string, rest: Pick<TaskNotification, "status" | "summary">) {
    notify(noticeOf({ taskId: id, toolUseId: call, outputFile, ...rest }, { agent, revision }));
  }

  function start({ command, description, call, bounds }: ShellStart, deps: ShellDeps): BackgroundTask {
    const id = `b${newId().replaceAll("-", "").slice(0, 16)}`;
    const { output, ended, end, onOutput } = startShell(command, id, deps, bounds);
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

  const running = () => [...tasks.values()].filter((task) => task.status() === "running");
  return {
    start,
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
