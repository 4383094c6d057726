import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import type { Running } from "@troupe/process";
import { awaited } from "../../../scripts/awaited.ts";
import type { Stage } from "../stage.ts";

/** A program of another make that writes to a team; what it was told is kept counts as sent. */
export interface Writer {
  readonly name: string;
  /** The marks of the messages that it has sent to each, and of its tasks. */
  readonly sent: Readonly<Record<string, readonly string[]>>;
  /** What it was refused. */
  readonly refused: readonly string[];
  /** Lets it come to its end. */
  stop(): Promise<void>;
}

export interface WriterDeps {
  readonly stage: Stage;
  readonly repository: string;
  readonly team: string;
  readonly name: string;
  readonly pauseMs: number;
}

/** The place of tasks among the recipients. */
export const tasks = "tasks";

export const markFrom = (name: string, n: number): string => `<${name}-${String(n).padStart(5, "0")}>`;

/** Adapters of the conformance suite, as their authors wrote them. */
const adapters = {
  python: ["python3", "python/adapter.py"],
  perl: ["perl", "perl/adapter.pl"],
} as const;

/** Writes to each of these in turn, and makes a task after each round. */
export async function startAdapter(
  deps: WriterDeps,
  language: keyof typeof adapters,
  to: readonly string[],
): Promise<Writer> {
  const { stage, repository, team, name, pauseMs } = deps;
  const [program, file] = adapters[language];
  const words = [program, `${repository}/packages/conformance/foreign/${file}`];
  const running = stage.startOther(words, { AGENT_TEAMS_HOME: stage.root });
  const call = caller(running, name);
  await call("hello", { revision: stage.client.revision });
  await call("reset", { root: stage.root });
  const sent = sentTo([...to, tasks]);
  const refused: string[] = [];
  let isOver = false;
  const writing = (async () => {
    for (let n = 0; !isOver; n += 1) {
      const place = [...to, tasks][n % (to.length + 1)] ?? "";
      const mark = markFrom(name, n);
      const done = await (place === tasks
        ? call("task.create", { team, subject: mark, description: "d" })
        : call("inbox.append", { team, agent: place, from: name, text: `note ${mark}`, summary: "note" }));
      if (done === undefined) sent[place]?.push(mark);
      else refused.push(done);
      await delay(pauseMs);
    }
  })();
  return {
    name,
    sent,
    refused,
    async stop() {
      isOver = true;
      await awaited(`the last word of ${name}`, writing);
      await running.end();
    },
  };
}

/** Asks an adapter one thing after another; why it refused, if it did. */
function caller(running: Running, name: string) {
  const lines = createInterface({ input: running.output })[Symbol.asyncIterator]();
  let id = 0;
  return async (method: string, params: object): Promise<string | undefined> => {
    running.input?.write(`${JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params })}\n`);
    const { value, done } = await awaited(`the answer of ${name} to ${method}`, lines.next());
    if (done) throw new Error(`${name} ended at ${method}`);
    const { error } = JSON.parse(value);
    return error && `${method}: ${error.message}`;
  };
}

/** A process of Node that adds to one inbox under its lock: in place, or by rename. */
export function startInbox(deps: WriterDeps, kind: "in-place" | "by-rename", to: string): Writer {
  const { stage, repository, team, name, pauseMs } = deps;
  const path = `${stage.root}/teams/${team}/inboxes/${to}.json`;
  const task = {
    kind,
    revision: stage.client.revision,
    path,
    name,
    count: 1_000_000,
    patience: 100,
    pauseMs,
    end: ">",
  };
  const words = [process.execPath, `${repository}/test-e2e/store/foreign-writer.mjs`, JSON.stringify(task)];
  const running = stage.startOther(words);
  const sent = sentTo([to]);
  const refused: string[] = [];
  createInterface({ input: running.output }).on("line", (line) => void sent[to]?.push(JSON.parse(line).input));
  running.errors.on("data", (piece) => void refused.push(String(piece)));
  return {
    name,
    sent,
    refused,
    async stop() {
      // It ends behind what it has begun: killed in the middle it would leave half a file.
      if (running.pid !== undefined) process.kill(running.pid, "SIGTERM");
      await awaited(`the end of ${name}`, running.ended);
    },
  };
}

const sentTo = (places: readonly string[]): Record<string, string[]> =>
  Object.fromEntries(places.map((place) => [place, []]));
