import { asleep } from "@troupe/store";
import { Client } from "pg";
import { type Asked, aliveMs, answerMs, type Database, type Touched } from "./database.ts";

// A notification is a hint to look now. A waiting call looks by itself every two seconds, too: a
// hint that is lost costs time and no message.

const channel = "troupe";
const pollMs = 2_000;
const reconnectMs = 500;
/** A line on which nothing is heard is asked so often whether it is one. */
const lineMs = 20_000;
/** All notifications of a server go through one lock, one after the other. */
const gatherMs = 5;

/** A notification holds 8,000 bytes at the most; no hint has more than a few hundred. */
const maxBytes = 7_000;

/** The name of an inbox without a character that has a meaning here. */
const hintOf = ({ team, inbox }: Touched): string =>
  inbox === undefined ? team : `${team}/${Buffer.from(inbox).toString("base64url")}`;

/** Waits for what other processes do. */
export interface Wakes {
  /**
   * Remembers from now on whether there was a hint for this team, or for this inbox alone, until
   * the signal fires.
   */
  listen(what: Touched, signal?: AbortSignal): Listening;
  /** Sends what is still to be told, and ends all waits. */
  close(): Promise<void>;
}

export interface Listening {
  /** True after a hint, or when it is time to look; false once it is over. */
  next(signal?: AbortSignal): Promise<boolean>;
  end(): void;
}

interface Listener {
  readonly isMeantBy: (hints: readonly string[]) => boolean;
  readonly wake: () => void;
}

export function openWakes(url: string, database: Database): Wakes {
  const listeners = new Set<Listener>();
  const untold = new Set<string>();
  const over = new AbortController();
  let telling: Promise<void> | undefined;
  let line: AbortController | undefined;

  const wake = (isMeant: (listener: Listener) => boolean = () => true) => {
    for (const listener of listeners) if (isMeant(listener)) listener.wake();
  };

  /** As many as one notification holds. */
  function someHints(): Asked {
    let hints = "";
    for (const hint of untold) {
      if (hints.length + hint.length > maxBytes) break;
      hints += `${hints && ","}${hint}`;
      untold.delete(hint);
    }
    return ["select pg_notify($1, $2)", [channel, hints]];
  }

  /** What comes meanwhile, and soon after. */
  async function tellRest(): Promise<void> {
    do {
      await asleep(gatherMs, over.signal);
      if (untold.size > 0) await database.query(...someHints()).catch(() => {});
    } while (untold.size > 0);
    telling = undefined;
  }
  // The first goes behind its commit at once. A hint that is gathered may not be told before that.
  database.onCommit((touched, isCommitted) => {
    if (telling && !isCommitted) return undefined;
    for (const one of touched) untold.add(hintOf(one));
    if (telling) return undefined;
    const first = someHints();
    telling = tellRest();
    return first;
  });

  /** Holds a connection for as long as somebody listens. */
  async function holdLine(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const client = new Client({
        connectionString: url,
        application_name: "troupe listener",
        keepAlive: true,
        keepAliveInitialDelayMillis: aliveMs,
        connectionTimeoutMillis: 15_000,
        query_timeout: answerMs,
      });
      const broken = new AbortController();
      const isOver = AbortSignal.any([signal, broken.signal]);
      client.on("error", () => broken.abort());
      client.on("end", () => broken.abort());
      client.on("notification", ({ payload = "" }) => {
        const hints = payload.split(",");
        wake(({ isMeantBy }) => isMeantBy(hints));
      });
      try {
        await client.connect();
        await client.query(`listen ${channel}`);
        // What was told before is found by looking.
        wake();
        while (!isOver.aborted) {
          await asleep(lineMs, isOver);
          if (!isOver.aborted) await client.query("select 1");
        }
      } catch {
        // It is tried again; those who wait look meanwhile.
      }
      await client.end().catch(() => {});
      await asleep(reconnectMs, signal);
    }
  }

  function begin(): void {
    if (line || over.signal.aborted) return;
    line = new AbortController();
    const signal = AbortSignal.any([line.signal, over.signal]);
    void holdLine(signal);
    const look = setInterval(() => wake(), pollMs);
    signal.addEventListener("abort", () => clearInterval(look), { once: true });
  }

  return {
    listen(what, signal) {
      const hint = hintOf(what);
      let isDue = true;
      let isEnded = false;
      let resume = () => {};
      const listener = {
        isMeantBy: (hints: readonly string[]) =>
          hints.some((one) => one === hint || (what.inbox === undefined && one.startsWith(`${hint}/`))),
        wake: () => {
          isDue = true;
          resume();
        },
      };
      const end = () => {
        signal?.removeEventListener("abort", end);
        isEnded = true;
        resume();
        if (!listeners.delete(listener) || listeners.size > 0) return;
        line?.abort();
        line = undefined;
      };
      listeners.add(listener);
      begin();
      signal?.addEventListener("abort", end);
      if (signal?.aborted) end();
      return {
        async next(until) {
          const isOver = () => isEnded || over.signal.aborted || until?.aborted === true;
          const stop = () => resume();
          until?.addEventListener("abort", stop);
          while (!isDue && !isOver()) {
            await new Promise<void>((resolve) => {
              resume = resolve;
            });
          }
          until?.removeEventListener("abort", stop);
          isDue = false;
          return !isOver();
        },
        end,
      };
    },
    async close() {
      over.abort();
      wake();
      await telling;
    },
  };
}
