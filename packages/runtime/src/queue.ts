import type { Input, Priority } from "./journal/entry.ts";
import type { Arrival, Inputs } from "./loop/ports.ts";
import type { Block } from "./model/model.ts";

/** The kind of a command for its consumer. */
export type Mode = "prompt" | "bash" | "task-notification" | "orphaned-permission";

/** One thing that waits to be dealt with. */
export interface Command extends Input {
  readonly mode: Mode;
  /** The agent it is for; the main conversation where it is absent. */
  readonly agent?: string;
  /** Called once it stands in the journal of the agent. */
  readonly kept?: (() => void) | undefined;
}

/** Its id is a new one, unless it is said. */
export type CommandDraft = Omit<Command, "id" | "priority"> & Partial<Pick<Command, "id" | "priority">>;

/**
 * The one queue of a process: people, ended jobs, timers, other programs and late answers all wait
 * here.
 */
export interface Queue {
  /** Priority `next`, unless it is said. */
  enqueue(draft: CommandDraft): Command;
  /** Priority `later`, unless it is said: what the system notes never goes ahead of a person. */
  notify(draft: CommandDraft): Command;
  /** Commands that wait, most urgent first and in the order of arrival. */
  waiting(agent?: string): readonly Command[];
  /** Takes the first that waits and is of these modes. */
  take(modes: readonly Mode[], agent?: string): Command | undefined;
  /**
   * Inputs that an agent takes between rounds: words and notifications with its id, and nothing
   * that is another's.
   */
  inputs(agent?: string): Inputs;
  /** Resolves when a command of this sort waits; rejects when the signal fires. */
  arrival(isSought: (command: Command) => boolean, signal: AbortSignal): Promise<void>;
}

const rank = { now: 0, next: 1, later: 2 } satisfies Record<Priority, number>;

/** The commands that a model can read; the session runs a shell command. */
const forTheModel: readonly Mode[] = ["prompt", "task-notification", "orphaned-permission"];

export function createQueue({ newId }: { readonly newId: () => string }): Queue {
  const commands: Command[] = [];
  const watchers = new Set<() => void>();

  function add(draft: CommandDraft, priority: Priority): Command {
    const command = { priority, ...draft, id: draft.id ?? newId() };
    const at = commands.findIndex((other) => rank[other.priority] > rank[command.priority]);
    commands.splice(at < 0 ? commands.length : at, 0, command);
    for (const watcher of [...watchers]) watcher();
    return command;
  }

  function take(modes: readonly Mode[], agent?: string): Command | undefined {
    const at = commands.findIndex((command) => command.agent === agent && modes.includes(command.mode));
    return at < 0 ? undefined : commands.splice(at, 1)[0];
  }

  function arrival(isSought: (command: Command) => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (end: () => void) => {
        watchers.delete(look);
        signal.removeEventListener("abort", stop);
        end();
      };
      const look = () => commands.some(isSought) && done(resolve);
      const stop = () => done(() => reject(signal.reason));
      watchers.add(look);
      signal.addEventListener("abort", stop);
      if (signal.aborted) stop();
      else look();
    });
  }

  return {
    enqueue: (draft) => add(draft, "next"),
    notify: (draft) => add(draft, "later"),
    waiting: (agent) => commands.filter((command) => command.agent === agent),
    take,
    inputs: (agent) => ({
      take: () => [...arrivals(() => take(forTheModel, agent))],
      whenUrgent: (signal) =>
        arrival(
          (command) => command.priority === "now" && command.agent === agent && forTheModel.includes(command.mode),
          signal,
        ),
    }),
    arrival,
  };
}

function* arrivals(next: () => Command | undefined): Generator<Arrival> {
  for (let command = next(); command; command = next()) {
    const { kept } = command;
    yield { input: inputOf(command), ...(kept && { acknowledge: async () => kept() }) };
  }
}

const inputOf = ({ id, priority, origin, content }: Command): Input => ({ id, priority, origin, content });

/** Words as content. */
export const textBlocks = (text: string): readonly Block[] => [{ type: "text", text }];
