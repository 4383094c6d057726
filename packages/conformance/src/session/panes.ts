import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { untestable } from "../fault.ts";

/** A pane, as tmux tells of it. */
export interface Pane {
  readonly id: string;
  /** Of the program in it. */
  readonly pid: number;
  readonly width: number;
  readonly title: string;
  /** The words that it was started with. */
  readonly command: string;
}

/** A server of tmux that the suite started, with one window and a pane for the lead in it. */
export interface Panes {
  /** What a program in the lead's pane sees. */
  readonly environment: Readonly<Record<string, string>>;
  readonly lead: string;
  /** Those of the window, the lead's too; none once the server has ended. */
  all(): readonly Pane[];
  /** Another pane of a person's. */
  split(): string;
  /** Runs a command of this tmux; what it prints. */
  tmux(...args: readonly string[]): string;
  close(): void;
}

const size = { width: 200, height: 50 };
const format = ["pane_id", "pane_pid", "pane_width", "pane_title", "pane_start_command"]
  .map((name) => `#{${name}}`)
  .join("\t");

/** Opens such a server; its socket lies in this directory. */
export function openPanes(directory: string): Panes {
  const socket = join(directory, "tmux");
  const tmux = (...args: readonly string[]): string => {
    // Where the suite itself is in a tmux, that one is not meant.
    const words = ["-u", "TMUX", "tmux", "-f", "/dev/null", "-S", socket, ...args];
    return execFileSync("env", words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  };
  const made = ["-x", String(size.width), "-y", String(size.height), "-P", "-F", "#{pane_id}", "cat"];
  let lead: string;
  try {
    lead = tmux("new-session", "-d", ...made);
  } catch (error) {
    throw untestable(`tmux is needed to look at panes: ${(error as Error).message}`);
  }
  const pid = tmux("display-message", "-p", "#{pid}");
  return {
    environment: { TMUX: `${socket},${pid},0`, TMUX_PANE: lead, TERM: "screen" },
    lead,
    all() {
      try {
        return tmux("list-panes", "-a", "-F", format).split("\n").map(paneOf);
      } catch {
        return [];
      }
    },
    split: () => tmux("split-window", "-d", "-P", "-F", "#{pane_id}", "cat"),
    tmux,
    close() {
      try {
        tmux("kill-server");
      } catch {
        // It has ended already.
      }
    },
  };
}

function paneOf(line: string): Pane {
  const [id = "", pid, width, title = "", ...command] = line.split("\t");
  return { id, pid: Number(pid), width: Number(width), title, command: command.join("\t") };
}

const partsOf = (pid: number, name: "cmdline" | "environ"): readonly string[] => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8").split("\0").slice(0, -1);
  } catch {
    throw untestable(`this system does not tell the ${name} of a process`);
  }
};

/** The words that a process was started with. */
export const wordsOf = (pid: number): readonly string[] => partsOf(pid, "cmdline");

/** What stands behind a flag; undefined where the flag is not there. */
export const flagIn = (words: readonly string[], flag: string): string | undefined =>
  words.includes(flag) ? (words[words.indexOf(flag) + 1] ?? "") : undefined;

export const environmentOf = (pid: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    partsOf(pid, "environ").map((entry) => [entry.split("=", 1)[0] ?? "", entry.slice(entry.indexOf("=") + 1)]),
  );
