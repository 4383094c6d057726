import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startFakeAnthropic, text } from "@troupe/fake-anthropic";
import { escapeProjectPath, layoutOf } from "@troupe/protocol";
import { atMost, type Result, roundsOf } from "./measure.ts";

const main = fileURLToPath(new URL("../../apps/cli/dist/main.js", import.meta.url));
const sessionId = "5f0c8f5e-2f0a-4a54-9d0e-0f6f6c6a1d11";
/** Signs that stand in nothing else that is written meanwhile. */
const keys = "QWERTZUIOPSDFGHJKLYXCVBNM".repeat(4);

/**
 * P17: milliseconds from a key to its sign on the terminal, 95th of a hundred, in the bundled
 * program on a terminal of its own with 10,000 lines of transcript: at rest, and while words of the
 * model come in. Needs the `script` of util-linux.
 */
export async function typing(): Promise<Record<string, Result>> {
  const isThere = (process.env["PATH"] ?? "").split(delimiter).some((dir) => existsSync(join(dir, "script")));
  if (!isThere || process.platform !== "linux") return {};
  const home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-typing-")));
  const words = Array.from({ length: 4_000 }, (_, at) => `word ${at} of an **answer** that comes in`).join("\n\n");
  const fake = await startFakeAnthropic({ rule: () => ({ content: [text(words)], paceMs: 20 }) });
  keepTranscript(home);
  const seat = sit(home, fake.url);
  try {
    await seat.shows("/help shows keys");
    await seat.shows("Ask, or type");
    const atRest = await roundsOf(() => typed(seat));
    seat.type("go on\r");
    await seat.shows("of an");
    const meanwhile = await roundsOf(() => typed(seat));
    return { "P17.key": atMost(30, atRest), "P17.streaming": atMost(30, meanwhile) };
  } finally {
    seat.type("\x03\x03\x03");
    await seat.ended;
    await fake.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** A session that was: two hundred answers of fifty lines each. */
function keepTranscript(home: string): void {
  const path = layoutOf(join(home, ".claude")).transcript(escapeProjectPath(home), sessionId);
  const paragraph = (at: number) => `line ${at} of an answer, with **marks** and \`code\``;
  const content = (at: number) => Array.from({ length: 25 }, (_, line) => paragraph(at * 25 + line)).join("\n\n");
  let before: string | null = null;
  const lines = Array.from({ length: 400 }, (_, at) => {
    const uuid = `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
    const stamp = { sessionId, cwd: home, uuid, parentUuid: before, timestamp: new Date(at).toISOString() };
    before = uuid;
    const answer = { id: `m${at}`, type: "message", model: "claude-sonnet-5-5", stop_reason: "end_turn" };
    const message =
      at % 2 === 0
        ? { role: "user", content: `question ${at}` }
        : { ...answer, role: "assistant", content: [{ type: "text", text: `${content(at)}\n` }], usage: {} };
    return JSON.stringify({ type: at % 2 === 0 ? "user" : "assistant", ...stamp, message });
  });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${lines.join("\n")}\n`);
}

/** Types a line, each key once the one before it is there, and takes it away again. */
async function typed(seat: ReturnType<typeof sit>): Promise<number> {
  const taken: number[] = [];
  for (let at = 0; at < keys.length; at += 1) {
    const start = performance.now();
    seat.type(keys[at] ?? "");
    await seat.shows(keys[at] ?? "");
    taken.push(performance.now() - start);
  }
  seat.type("\x15");
  await seat.shows("Ask, or type");
  taken.sort((one, other) => one - other);
  return taken[Math.floor(taken.length * 0.95)] ?? Number.NaN;
}

const steering = /\x1b\[[\d;?]*[A-Za-z]/g;

/** The program before a terminal, whose output is read as it is written. */
function sit(home: string, baseUrl: string) {
  const command = `stty cols 160 rows 40; exec '${process.execPath}' '${main}' --resume ${sessionId}`;
  const child: ChildProcess = spawn("script", ["-qfec", command, "/dev/null"], {
    cwd: home,
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      ANTHROPIC_API_KEY: "of-no-use",
      ANTHROPIC_BASE_URL: baseUrl,
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let written = "";
  let wake = () => {};
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    written += chunk;
    wake();
  });
  const ended = once(child, "close");
  return {
    ended,
    type(given: string): void {
      written = "";
      child.stdin?.write(given);
    },
    /** Resolves when this was written since the last key. */
    async shows(sought: string): Promise<void> {
      while (!written.replaceAll(steering, "").includes(sought)) {
        if (child.exitCode !== null) throw new Error(`the session ended, and shows ${written.slice(-500)}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
