import { asleep } from "@troupe/store";
import { Client } from "pg";
import type { Database } from "./database.ts";

// A notification is a hint to look now. A waiting call looks by itself every two seconds, too: a
// hint that is lost costs time and no message.

const channel = "troupe";
const pollMs = 2_000;
const reconnectMs = 500;

/** So many teams are named in one notification, which has 8,000 bytes at the most. */
const maxTeams = 300;

/** Waits for what other processes do. */
export interface Wakes {
  /** Remembers from now on whether there was a hint for this team, until the signal fires. */
  listen(team: string, signal?: AbortSignal): Listening;
  /** Sends what is still to be told, and ends all waits. */
  close(): Promise<void>;
}

export interface Listening {
  /** True after a hint, or when it is time to look; false once it is over. */
  next(signal?: AbortSignal): Promise<boolean>;
  end(): void;
}

interface Listener {
  readonly team: string;
  readonly wake: () => void;
}

export function openWakes(url: string, database: Database): Wakes {
  const listeners = new Set<Listener>();
  const untold = new Set<string>();
  const over = new AbortController();
  let telling: Promise<void> | undefined;
  let line: AbortController | undefined;

  const wake = (isMeant: (team: string) => boolean) => {
    for (const listener of listeners) if (isMeant(listener.team)) listener.wake();
  };

  /** While one notification is under way, what comes is gathered for the next. */
  async function tellAll(): Promise<void> {
    while (untold.size > 0) {
      const teams = [...untold].slice(0, maxTeams);
      for (const team of teams) untold.delete(team);
      await database.query("select pg_notify($1, $2)", [channel, teams.join(",")]).catch(() => {});
    }
    telling = undefined;
  }
  database.onCommit((teams) => {
    for (const team of teams) untold.add(team);
    telling ??= tellAll();
  });

  /** Holds a connection for as long as somebody listens. */
  async function holdLine(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const client = new Client({ connectionString: url, application_name: "troupe listener", keepAlive: true });
      const broken = new AbortController();
      const isOver = AbortSignal.any([signal, broken.signal]);
      client.on("error", () => broken.abort());
      client.on("end", () => broken.abort());
      client.on("notification", ({ payload = "" }) => {
        const teams = new Set(payload.split(","));
        wake((team) => teams.has(team));
      });
      try {
        await client.connect();
        await client.query(`listen ${channel}`);
        // What was told before is found by looking.
        wake(() => true);
        while (!isOver.aborted) await asleep(pollMs * 10, isOver);
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
    const look = setInterval(() => wake(() => true), pollMs);
    signal.addEventListener("abort", () => clearInterval(look), { once: true });
  }

  return {
    listen(team, signal) {
      let isDue = true;
      let isEnded = false;
      let resume = () => {};
      const listener = {
        team,
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
      wake(() => true);
      await telling;
    },
  };
}
