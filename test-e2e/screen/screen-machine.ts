import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeAnthropicOptions, startFakeAnthropic } from "@troupe/fake-anthropic";
import { onTestFinished } from "vitest";
import { awaited, untilSeen } from "../../scripts/awaited.ts";
import { main } from "../command-line.ts";
import { childrenOf, isRunning, killAll } from "../processes.ts";

/** What an empty prompt shows, and a question that takes an answer. */
export const prompt = "Ask, or type /";
export const asks = "enter answers";

interface Seat {
  readonly columns?: number;
  readonly rows?: number;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The terminal is none of tmux, as far as troupe can tell. */
  readonly isOutside?: boolean;
}

/**
 * A person before a real terminal, with a Messages API on this machine that gives these answers.
 */
export async function screenMachine(options: FakeAnthropicOptions) {
  const fake = await startFakeAnthropic(options);
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "troupe-screen-")));
  const [home, cwd] = [join(dir, "home"), join(dir, "project")];
  for (const place of [home, cwd]) mkdirSync(place);
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    SHELL: "/bin/sh",
    TERM: "tmux-256color",
    LANG: "C.UTF-8",
    TMPDIR: dir,
    ANTHROPIC_API_KEY: "of-no-use",
    ANTHROPIC_BASE_URL: fake.url,
  };
  const tmux = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-u", "-f", "/dev/null", "-S", join(dir, "socket"), ...args], {
      encoding: "utf8",
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 60_000,
    });
  let seats = 0;
  const shells: string[] = [];
  const startedBy = (shell: string): readonly string[] => childrenOf(Number(shell)).map(String);
  onTestFinished(async () => {
    // A session whose terminal is closed takes leave, and writes while it does: so it is killed.
    const running = shells.flatMap(startedBy);
    killAll(running);
    if (existsSync(join(dir, "socket"))) tmux("kill-server");
    await untilSeen("the end of troupe", () => !running.some(isRunning));
    await fake.close();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Sits down and starts `troupe`; a shell stays behind when it ends. */
  function sit({ columns = 100, rows = 30, args = [], environment: more = {}, isOutside }: Seat = {}) {
    const name = `seat${++seats}`;
    const words = [process.execPath, main, ...args].map((word) => `'${word}'`).join(" ");
    const variables = Object.entries(more).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
    const size = ["-x", `${columns}`, "-y", `${rows}`];
    const script = `${isOutside ? "unset TMUX; " : ""}${words}; echo "ended with $?"; exec cat`;
    const format = "#{pane_pid}";
    const pid = tmux(
      "new-session",
      "-d",
      "-s",
      name,
      ...size,
      "-c",
      cwd,
      ...variables,
      "-P",
      "-F",
      format,
      script,
    ).trim();
    shells.push(pid);
    const log = join(dir, `${name}.log`);
    writeFileSync(log, "");
    const written = watch(log);
    let writes = 0;
    written.on("change", () => {
      writes += 1;
    });
    onTestFinished(() => written.close());
    tmux("pipe-pane", "-t", name, `exec cat >>'${log}'`);
    const shown = (...flags: readonly string[]) => tmux("capture-pane", "-p", ...flags, "-t", name);
    return {
      /** What stands on the screen. */
      shown: () => shown(),
      /** The same with its colours. */
      painted: () => shown("-e"),
      /** The whole of what was ever shown and is finished, the screen included. */
      history: () => shown("-S", "-", "-J"),
      type: (text: string) => void tmux("send-keys", "-t", name, "-l", text),
      say(text: string) {
        tmux("send-keys", "-t", name, "-l", text);
        tmux("send-keys", "-t", name, "Enter");
      },
      press: (...keys: readonly string[]) => void tmux("send-keys", "-t", name, ...keys),
      /** Kills troupe, as a crash of the machine would, and not the shell around it. */
      kill: () => killAll(startedBy(pid)),
      /** The processes of troupe. */
      started: () => startedBy(pid),
      /** Closes the terminal. */
      close: () => void tmux("kill-session", "-t", name),
      resize: (to: number, high = rows) => void tmux("resize-window", "-t", name, "-x", `${to}`, "-y", `${high}`),
      paste(text: string) {
        tmux("set-buffer", text);
        tmux("paste-buffer", "-p", "-t", name);
      },
      /** Waits until the screen shows this, which is looked at when something was written to it. */
      async sees(sought: string | RegExp): Promise<string> {
        const isSeen = (screen: string) => (typeof sought === "string" ? screen.includes(sought) : sought.test(screen));
        async function looking(): Promise<string> {
          for (;;) {
            const before = writes;
            const screen = shown();
            if (isSeen(screen)) return screen;
            if (writes === before) await once(written, "change");
          }
        }
        return awaited(`${sought} on the screen`, looking()).catch((error: unknown) => {
          throw new Error(`${(error as Error).message}; it shows\n${shown()}`);
        });
      },
    };
  }

  return { fake, dir, home, cwd, sit };
}
