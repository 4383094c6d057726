import { execFileSync } from "node:child_process";
import { isAlive } from "./alive.ts";
import type { Panes } from "./panes.ts";
import type { Begin } from "./sessions.ts";
import type { Waiting } from "./waiting.ts";

/** A person before the pane of a session. */
export interface Seat {
  /** Starts the session in the pane of the lead. */
  readonly begin: Begin;
  /** What stands on the screen; empty once that is gone. */
  shown(): string;
  /** Types a line when the session reads keys, and enters it when the screen shows it. */
  types(text: string): Promise<void>;
  /** Closes the terminal, as a person does who closes the window. */
  closes(): void;
}

/** The pane stays when its session ends, so that it can be told how. */
export function openSeat({ tmux, lead }: Panes, until: Waiting["until"]): Seat {
  const told = (format: string): string => {
    try {
      return tmux("display-message", "-p", "-t", lead, format);
    } catch {
      return "";
    }
  };
  const shown = () => {
    try {
      return tmux("capture-pane", "-p", "-t", lead);
    } catch {
      return "";
    }
  };
  return {
    begin(argv, cwd, env) {
      const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
      tmux("set-option", "-p", "-t", lead, "remain-on-exit", "on");
      tmux("respawn-pane", "-k", "-t", lead, "-c", cwd, "env", "-i", ...variables, ...argv);
      const pid = Number(told("#{pane_pid}"));
      return {
        pid,
        ended: () => (isAlive(pid) ? undefined : `it ended with exit code ${told("#{pane_dead_status}")}`),
        output: shown,
        async kill() {
          if (isAlive(pid)) process.kill(-pid, "SIGKILL");
        },
      };
    },
    shown,
    async types(text) {
      await until("a screen that reads keys", () => readsKeys(told("#{pane_tty}")));
      tmux("send-keys", "-t", lead, "-l", text);
      await until(`${text} on the screen`, () => shown().includes(text));
      tmux("send-keys", "-t", lead, "Enter");
    },
    closes: () => void tmux("kill-pane", "-t", lead),
  };
}

/** Whether the program at a terminal takes keys one by one: what is typed before may be lost. */
function readsKeys(tty: string): boolean {
  try {
    return execFileSync("sh", ["-c", 'stty -a < "$1"', "sh", tty], { encoding: "utf8" }).includes("-icanon");
  } catch {
    return false;
  }
}
