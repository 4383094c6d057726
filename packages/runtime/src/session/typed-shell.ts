import { insideTags } from "@troupe/protocol";
import type { Agent } from "../agent/agent.ts";
import type { PersonHooks } from "../hooks/person-hooks.ts";
import type { Tool } from "../loop/tool.ts";
import { type Queue, textBlocks } from "../queue.ts";

export interface TypedShellDeps {
  readonly queue: Queue;
  /** Those of the session, of which Bash runs the commands. */
  readonly tools: readonly Tool<Agent>[];
  readonly talk: Pick<PersonHooks, "note">;
  readonly newId: () => string;
  /** Shows the person what a command printed. */
  readonly show: (text: string) => void;
}

/** Commands that the person at the session types for the shell. */
export interface TypedShell {
  /** Queues a command: it waits until no turn goes on. */
  add(command: string): void;
  /** Runs what waits, one after the other. */
  run(agent: Agent, signal: AbortSignal): Promise<void>;
}

/**
 * A command of the person's own: no question, hook or confinement stands before it. A command is no
 * turn; the model hears of it with the next words.
 */
export function typedShell({ queue, tools, talk, newId, show }: TypedShellDeps): TypedShell {
  const bash = tools.find(({ definition }) => definition.name === "Bash");
  return {
    add: (command) => void queue.enqueue({ mode: "bash", origin: { kind: "human" }, content: textBlocks(command) }),
    async run(agent, signal) {
      while (bash && !signal.aborted) {
        const one = queue.take(["bash"]);
        if (!one) return;
        const command = String(one.content[0]?.["text"]);
        const { content } = await bash.run({ command }, { call: newId(), agent, signal });
        const output = content.map(({ text = "" }) => text).join("\n");
        talk.note(
          `<bash-input>${insideTags(command)}</bash-input>\n<bash-stdout>\n${insideTags(output)}\n</bash-stdout>`,
        );
        show(output);
      }
    },
  };
}
