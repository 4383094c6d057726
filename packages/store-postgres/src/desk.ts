import { isTroupeError, TroupeError } from "@troupe/protocol";
import { assertGiven } from "@troupe/protocol/rules";
import { inTurn } from "@troupe/store";
import { connectTo, only } from "./database.ts";
import { assertMigrated } from "./migrations.ts";
import { type AskedSpawn, askedIn, spawnsTopic } from "./spawns.ts";
import { type Listening, openWakes } from "./wakes.ts";

/** What a host offers. */
export interface HostOffer {
  readonly slots: number;
  /** Where and with what it runs: labels that begin with `backend:`, `model:` or `repo:`. */
  readonly labels: readonly string[];
  /** How long nothing may be heard of it until others may take what it has. */
  readonly leaseMs: number;
}

/** What becomes of a start: `wanted` gives it back, for any host to take. */
export interface HostReport {
  readonly state: "taken" | "running" | "ended" | "wanted";
  readonly reason?: string | undefined;
  readonly detail?: string | undefined;
  readonly result?: object | undefined;
}

/** The place of a host in the database, where its role is the host. */
export interface HostDesk {
  readonly role: string;
  /** Registers this process as the host, or again after its lease has ended. */
  enter(offer: HostOffer): Promise<void>;
  /**
   * Keeps the lease. Throws `store_refused`: with `isLate` where it has ended, else where another
   * process is the host.
   */
  renew(leaseMs: number): Promise<void>;
  /** The oldest request that this host fits, if a slot is free; its member is granted then. */
  take(): Promise<AskedSpawn | undefined>;
  /** What this host has. */
  mine(): Promise<readonly AskedSpawn[]>;
  /** Throws `store_refused` where the start is not this host's any more. */
  report(start: string, report: HostReport): Promise<void>;
  /** The address of the store for one start: what is written by it later is refused. */
  urlOf(start: string): string;
  /** Hints that there may be something to take or to stop. */
  listen(): Listening;
  /** Gives up the lease, and closes the connections. */
  close(): Promise<void>;
}

/** Opens the desk of the role that is named by the address. */
export async function openHostDesk({ url }: { readonly url: string }): Promise<HostDesk> {
  assertGiven("openHostDesk", { url }, { url: "string" });
  const database = connectTo(url);
  const { transaction } = database;
  let epoch: string | undefined;
  // What is under way as the host enters anew would be refused as another process of it.
  const alone = inTurn();
  const told = await Promise.all([
    assertMigrated(database),
    database.query<{ role: string }>("select session_user as role"),
  ]).catch(async (error: unknown) => {
    await database.close();
    if (!isDenied(error)) throw error;
    const message =
      "the role of this address sees no tables of a store: troupe host add admits it as a host, once troupe store migrate has created them";
    throw new TroupeError("store_refused", message, {}, error);
  });
  const { role } = only(told[1]);
  const wakes = openWakes(url, database);
  /** One call of a function that the owner made for hosts; a deadlock is tried again. */
  const call = <Row extends object>(text: string, values: readonly unknown[], isNews = false) =>
    transaction(async (open) => {
      const rows = await open.query<Row>(text, values);
      // A host that woke all by finding nothing would wake itself as well, for ever.
      if (isNews && rows.length > 0) open.touch(spawnsTopic);
      return rows;
    });

  return {
    role,

    enter: ({ slots, labels, leaseMs }) =>
      alone(async () => {
        const entered = "select host_enter($1, $2, $3) as epoch";
        ({ epoch } = only(await call<{ epoch: string }>(entered, [slots, labels, leaseMs], true)));
      }),

    async renew(leaseMs) {
      await alone(() => call("select host_renew($1, $2)", [epoch, leaseMs]));
    },

    async take() {
      const take = "select host_take($1) as start";
      const [taken] = await alone(() => call<{ start: string }>(take, [epoch], true));
      if (!taken) return undefined;
      await call("select host_free($1)", [taken.start]);
      return (await askedIn(database.query, "r.epoch = $1", [taken.start]))[0];
    },

    mine: () => askedIn(database.query, "r.role = $1 and r.state in ('taken', 'running')", [role]),

    async report(start, { state, reason, detail, result }) {
      // What a program has printed may hold a NUL, which no text of a database does.
      const said = [reason, detail].map((text) => text?.replaceAll("\0", "") ?? null);
      const values = [start, state, ...said, result === undefined ? null : JSON.stringify(result)];
      await call("select host_report($1, $2, $3, $4, $5)", values, true);
    },

    urlOf: (start) => withEpoch(url, start),
    listen: () => wakes.listen({ team: spawnsTopic }),

    async close() {
      if (epoch !== undefined) await call("select host_leave($1)", [epoch], true).catch(() => {});
      await wakes.close();
      await database.close();
    },
  };
}

/** Nobody has given the role any right, or there are no tables. */
const isDenied = (error: unknown): boolean =>
  isTroupeError(error) &&
  (error.details?.["number"] === 0 || (error.cause as { readonly code?: unknown } | undefined)?.code === "42501");

function withEpoch(text: string, start: string): string {
  const url = new URL(text);
  const before = url.searchParams.get("options");
  url.searchParams.set("options", `${before === null ? "" : `${before} `}-c troupe.epoch=${start}`);
  // A driver reads + as itself.
  url.search = url.searchParams.toString().replaceAll("+", "%20");
  return url.href;
}
