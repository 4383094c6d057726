import { connect } from "node:net";
import { onTestFinished } from "vitest";
import type { Assets } from "../src/assets.ts";
import { serveWeb, type WebDeps } from "../src/server.ts";
import type { Source } from "../src/source.ts";
import type { ActView, TeamView } from "../src/views.ts";

export const token = "t".repeat(43);
export const pass = "p".repeat(43);
/** Stands in everything that the teams say. */
export const secret = "the-secret-of-the-team";

const view: TeamView = {
  name: "crew",
  form: "2026-11",
  description: secret,
  isLive: true,
  changedAt: 0,
  members: [],
  requests: [],
  stuck: [],
  problems: [],
  tasks: [],
  edges: [],
  mail: [],
  counts: { ready: 0, blocked: 0, in_progress: 0, completed: 0 },
};
const messages = { messages: [], before: null, total: 0, secret };
const event = (id: string) => ({ id, at: "2026-11-19T09:00:00.000Z", by: secret, kind: "ready", line: secret });

/** A source of which a test can give hints, and see what was asked of it. */
export function openSource(more: Partial<Source> = {}) {
  const acts: ActView[] = [];
  const watches: (string | undefined)[] = [];
  const hints = new Map<string | undefined, () => void>();
  const log: string[] = ["1", "2"];
  const source: Source = {
    teams: async () => ({ root: "/", person: null, teams: [view], problems: [] }),
    team: async (name) => (name === "crew" ? view : undefined),
    member: async () => undefined,
    inbox: async () => messages,
    threads: async () => [],
    thread: async () => messages,
    async log(_, { after }) {
      const found = after === undefined ? log : log.slice(log.indexOf(after) + 1);
      return { events: found.map(event), last: log.at(-1) ?? null, hasMore: false };
    },
    timeline: async () => undefined,
    cost: async () => undefined,
    doctor: async () => ({ findings: [], secret }),
    async *changes(team, signal) {
      watches.push(team);
      while (!signal.aborted) {
        const next = new Promise<void>((resolve) => {
          hints.set(team, resolve);
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
        await next;
        yield;
      }
    },
    async act(team, act) {
      if (team !== "crew") return undefined;
      acts.push(act);
      return { isDone: true, words: "done" };
    },
    ...more,
  };
  return { source, acts, watches, log, hint: (team?: string) => hints.get(team)?.() };
}

const assets: Assets = new Map([
  ["/", { type: "text/html; charset=utf-8", body: Buffer.from("<!doctype html><title>troupe</title>") }],
  ["/app.js", { type: "text/javascript; charset=utf-8", body: Buffer.from("void 0") }],
]);

/** A server of the test, with ways to ask it as no browser would. */
export async function openPlace(more: Partial<WebDeps> = {}) {
  const seen = openSource();
  const over = new AbortController();
  const shown: string[] = [];
  const deps = { source: seen.source, assets, token, pass, port: 0, show: (text: string) => void shown.push(text) };
  const { url, ended } = await serveWeb({ ...deps, signal: over.signal, ...more });
  onTestFinished(async () => {
    over.abort();
    await ended;
  });
  const port = Number(new URL(url).port);
  return { ...seen, url, port, shown, over, ended, cookie: `troupe-${port}=${pass}`, say: sayTo(port) };
}

/** Sends these bytes, and gives what comes until the server closes or has answered wholly. */
const sayTo = (port: number) => (text: string) =>
  new Promise<Said>((resolve, reject) => {
    let got = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("utf8");
    const done = () => {
      socket.destroy();
      resolve(saidIn(got));
    };
    socket.on("data", (part: string) => {
      got += part;
      if (isWhole(got)) done();
    });
    socket.on("close", done);
    socket.on("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNRESET" ? done() : reject(error)));
  });

export interface Said {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

function saidIn(text: string): Said {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = new Map(
    lines.map((line) => [line.split(":")[0]?.toLowerCase() ?? "", line.replace(/^[^:]*: */, "")]),
  );
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(first)?.[1] ?? 0), headers, body: rest.join("\r\n\r\n") };
}

/** A stream has no end: its head is enough. */
function isWhole(text: string): boolean {
  const { headers, body, status } = saidIn(text);
  if (!text.includes("\r\n\r\n")) return false;
  if (status === 204 || status === 304 || headers.get("content-type")?.startsWith("text/event-stream")) return true;
  const length = headers.get("content-length");
  return length === undefined ? body.endsWith("0\r\n\r\n") : Buffer.byteLength(body) >= Number(length);
}
