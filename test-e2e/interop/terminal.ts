import { setTimeout as delay } from "node:timers/promises";
import { runProcess } from "@troupe/process";
import { untilSeen } from "../../scripts/awaited.ts";

export interface TerminalDeps {
  /** The socket of a tmux server of its own. */
  readonly socket: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Panes in which programs run as a person would run them. */
export interface Terminal {
  /** Runs a program in a window of its own; the pane. */
  open(words: readonly string[]): Promise<string>;
  /** Types a text, and Return once it is on the screen. */
  type(pane: string, text: string): Promise<void>;
  /** Presses a key by the name that tmux has for it. */
  press(pane: string, key: string): Promise<void>;
  /** What is to be seen, with as many lines of what went out of sight as wanted. */
  screen(pane: string, before?: number): Promise<string>;
  /** The panes of the server, those that programs opened in it too. */
  panes(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** A client takes its time to end; what still runs after a while is killed. */
async function untilGone(pid: number): Promise<void> {
  const isGone = () => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  };
  await untilSeen(`the end of ${pid}`, isGone, 5_000).catch(async () => {
    process.kill(pid, "SIGKILL");
    await untilSeen(`the end of ${pid}`, isGone);
  });
}

export function openTerminal({ socket, cwd, environment }: TerminalDeps): Terminal {
  async function tmux(...args: readonly string[]): Promise<string> {
    const words = ["-u", "-f", "/dev/null", "-S", socket, ...args];
    const common = { cwd, environment, timeoutMs: 20_000, keptBytes: 1_000_000 };
    const { code, stdout, stderr, failure } = await runProcess({ program: "tmux", args: words, ...common });
    if (code !== 0) throw new Error(`tmux ${args[0]}: ${failure ?? stderr.trim()}`);
    return stdout;
  }
  let isOpen = false;
  const screen = (pane: string, before = 0) => tmux("capture-pane", "-p", "-J", "-S", `-${before}`, "-t", pane);
  return {
    screen,
    async open(words) {
      const add = (...where: readonly string[]) =>
        tmux(...where, "-d", "-P", "-F", "#{pane_id}", "-c", cwd, "--", ...words);
      const begin = () => add("new-session", "-x", "180", "-y", "50");
      // A server has gone with its last pane.
      const pane = await (isOpen ? add("new-window").catch(begin) : begin());
      isOpen = true;
      return pane.trim();
    },
    async type(pane, text) {
      await tmux("send-keys", "-t", pane, "-l", "--", text);
      await untilSeen(`${text} on the screen`, async () => (await screen(pane)).includes(text.slice(-20)), 20_000);
      // A screen takes a Return that comes together with text for a part of it.
      await delay(300);
      await tmux("send-keys", "-t", pane, "Enter");
    },
    press: async (pane, key) => void (await tmux("send-keys", "-t", pane, key)),
    panes: async () => (await tmux("list-panes", "-a", "-F", "#{pane_id}")).trim().split("\n"),
    async close() {
      if (!isOpen) return;
      const pids = (await tmux("list-panes", "-a", "-F", "#{pane_pid}").catch(() => "")).trim().split("\n").map(Number);
      await tmux("kill-server").catch(() => {});
      for (const pid of pids.filter(Boolean)) await untilGone(pid);
    },
  };
}
