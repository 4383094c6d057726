import { TroupeError } from "@troupe/protocol";
import { Pool } from "pg";
import { failureOf, isLostConnection, isRetried } from "./failures.ts";

/** Runs one statement, or several without values, and gives its rows. */
export type Query = <Row extends object = Record<string, never>>(
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Row[]>;

/** A transaction that is not committed yet. */
export interface Transaction {
  readonly query: Query;
  /** Is done last, and asked for together with the commit. */
  atCommit(text: string, values: readonly unknown[]): void;
  /** Those who watch this team are woken once it is committed, and those who wait for this mail. */
  touch(team: string, inbox?: string): void;
}

/** What a transaction changed: a team, and in it an inbox where it is one. */
export interface Touched {
  readonly team: string;
  readonly inbox?: string | undefined;
}

/** A statement, and its values. */
export type Asked = readonly [text: string, values: readonly unknown[]];

/** A transaction of one statement begins and ends with it: the server is asked once. */
type Kind = "read committed" | "repeatable read" | "one statement";

/**
 * Told what a transaction touched when its commit was asked for: what it gives is asked for right
 * behind that, and where it gives nothing, it is told again when that is done.
 */
type Tell = (touched: readonly Touched[], isCommitted: boolean) => Asked | undefined;

/** The connections of one store. */
export interface Database {
  readonly query: Query;
  /**
   * Does the work in one transaction; does it again where the server had to choose between two.
   * Throws `store_unavailable` where the connection is lost: `isAmbiguous` in its details says that
   * the server may have committed.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, kind?: Kind): Promise<T>;
  /** What transactions touched is told to this from now on. */
  onCommit(tell: Tell): void;
  close(): Promise<void>;
}

/** So many connections at the most, besides the one that listens. */
const maxConnections = 8;

/**
 * A transaction waits so long for a lock of another; one whose client says nothing for so long is
 * rolled back, that no stopped process holds others up.
 */
const limits = { lock_timeout: 15_000, idle_in_transaction_session_timeout: 10_000 };

/**
 * A server that takes what is asked and says nothing, for so long, is gone: nobody waits for ever.
 * `query_timeout` in the address, in milliseconds, says otherwise.
 */
export const answerMs = 60_000;
/** The same for statements that read or change a whole store. */
const wholeMs = 600_000;

/** An idle connection is asked for a sign of life after so long: a network may have dropped it. */
export const aliveMs = 10_000;

const maxTries = 5;

export function connectTo(url: string, { isWhole = false }: { readonly isWhole?: boolean } = {}): Database {
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    allowExitOnIdle: true,
    connectionTimeoutMillis: 15_000,
    application_name: "troupe",
    keepAlive: true,
    keepAliveInitialDelayMillis: aliveMs,
    // What does not wait for an answer is sent at once.
    pipeline: true,
    query_timeout: isWhole ? wholeMs : answerMs,
    ...limits,
  });
  // A connection that breaks while nobody uses it is replaced by the next call; one that breaks in
  // use fails what is asked. It can break before its first user hears of it.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  let tell: Tell = () => undefined;

  const query: Query = async (text, values) => {
    try {
      return (await pool.query(text, values as unknown[])).rows;
    } catch (error) {
      throw failureOf(error, false);
    }
  };

  /** A file that the address names is read here, and throws at once where it is not there. */
  const connect = async () => pool.connect();

  async function once<T>(work: (transaction: Transaction) => Promise<T>, kind: Kind): Promise<T> {
    const client = await connect().catch((error: unknown) => {
      throw failureOf(error, false);
    });
    const touched: Touched[] = [];
    let behind: Promise<unknown> | undefined;
    const isWhole = kind === "one statement";
    let isCommitting = isWhole;
    let isBroken = false;
    const ask = (text: string, values?: readonly unknown[]) => client.query(text, values as unknown[]);
    const last: (() => Promise<unknown>)[] = [];
    const tellTouched = (isCommitted: boolean) => {
      if (behind || touched.length === 0) return;
      const hint = tell(touched, isCommitted);
      // A transaction of its own, for whose answer nobody waits.
      if (hint) behind = ask(...hint).catch(() => {});
    };
    try {
      const begun = isWhole ? undefined : ask(`begin isolation level ${kind}`);
      // Its failure is that of what is asked with it.
      begun?.catch(() => {});
      const result = await work({
        // The first one goes with the begin.
        query: async (text, values) => {
          const asked = ask(text, values);
          if (isWhole) tellTouched(false);
          return (await all([begun, asked] as const))[1].rows;
        },
        atCommit: (text, values) => last.push(() => ask(text, values)),
        touch: (team, inbox) => touched.push({ team, inbox }),
      });
      isCommitting = true;
      const committed = [...last.map((next) => next()), isWhole ? undefined : ask("commit")];
      tellTouched(isWhole);
      await all(committed);
      if (!isWhole) tellTouched(true);
      return result;
    } catch (error) {
      isBroken = isLostConnection(error);
      if (!isBroken && !isWhole) await client.query("rollback").catch(() => (isBroken = true));
      throw isRetried(error) ? error : failureOf(error, isCommitting);
    } finally {
      if (behind && !isBroken) void behind.then(() => client.release());
      else client.release(isBroken);
    }
  }

  return {
    query,
    async transaction(work, kind = "read committed") {
      for (let tries = 1; ; tries += 1) {
        try {
          return await once(work, kind);
        } catch (error) {
          if (!isRetried(error)) throw error;
          if (tries === maxTries) throw failureOf(error, false);
        }
      }
    },
    onCommit(listener) {
      tell = listener;
    },
    close: () => pool.end(),
  };
}

/** All of these, or the first failure once none of them is under way. */
async function all<T extends readonly unknown[]>(asked: T): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(asked);
  return Promise.all(asked);
}

/** The one row that a statement always gives. */
export function only<Row>([row]: readonly Row[]): Row {
  if (row !== undefined) return row;
  throw new TroupeError("store_unavailable", "the database gave no row where there is one: check its tables", {});
}
