import { TroupeError } from "@troupe/protocol";
import { assertGiven } from "@troupe/protocol/rules";
import { asleep } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import { connectTo } from "../database.ts";
import { heldLeases } from "../held-leases.ts";
import { assertMigrated } from "../migrations.ts";
import { openPostgresStore } from "../postgres-store.ts";
import { openWakes } from "../wakes.ts";
import { type Carried, carryAll, follow } from "./carry.ts";
import { assertHost } from "./host.ts";
import type { Link, OfferLimits } from "./link.ts";
import { idOfRoot } from "./memory.ts";
import { openLink } from "./open-link.ts";

export interface BridgeDeps {
  /** As libpq has it, of a role that owns the tables. */
  readonly url: string;
  /** The directory that holds `teams/` and `tasks/`. */
  readonly root: string;
  /** What this machine is called in the team; each root has a name of its own. */
  readonly host: string;
  /** Without names, all that the root has. */
  readonly teams?: readonly string[];
  readonly newId?: () => string;
  readonly limits?: Partial<OfferLimits>;
  /** Told of what stands in the way, once each time it changes. */
  readonly tell?: (team: string, problems: readonly string[]) => void;
}

/** Carries teams between a root of files and a store on PostgreSQL. */
export interface Bridge {
  readonly teams: readonly string[];
  /** Everything that waits on either side, once; gives what is left, by team. */
  once(): Promise<ReadonlyMap<string, Carried>>;
  /**
   * Goes on until the signal fires; throws `lease_lost` where a later bridge of this host began.
   */
  run(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const usual: OfferLimits = { unusedMs: 20_000, silentMs: 600_000 };

/** Throws `team_unknown` for a team that neither side has. */
export async function openBridge(deps: BridgeDeps): Promise<Bridge> {
  assertGiven("openBridge", deps, { url: "string", root: "path", host: "string", teams: "strings?" });
  const { url, root, host, newId = () => crypto.randomUUID(), tell = () => {} } = deps;
  assertHost(host);
  const limits = { ...usual, ...deps.limits };
  const database = connectTo(url);
  const closing = new AbortController();
  const local = openFileStore({ root });
  const wakes = openWakes(url, database);
  let shared: Awaited<ReturnType<typeof openPostgresStore>> | undefined;

  async function close(): Promise<void> {
    closing.abort();
    await Promise.all([local.close(), shared?.close(), wakes.close()]);
    await database.close();
  }

  try {
    await assertMigrated(database);
    shared = await openPostgresStore({ url });
    const held = heldLeases(database);
    const storeDeps = { database, wakes, closing: closing.signal, held };
    const sides = { deps: storeDeps, shared, local, directory: root, host, root: idOfRoot(root, newId), limits };
    const links: Link[] = [];
    for (const name of deps.teams ?? (await local.listTeams())) {
      const link = await openLink(sides, name);
      if (!link) throw unknown(name);
      links.push(link);
    }
    return {
      teams: links.map(({ row }) => row.name),
      async once() {
        const found = await Promise.all(links.map(async (link) => [link.row.name, await carryAll(link)] as const));
        return new Map(found);
      },
      async run(signal) {
        const over = new AbortController();
        const until = AbortSignal.any([signal, closing.signal, over.signal]);
        try {
          await Promise.all(links.map((link) => follow(link, until, (problems) => tell(link.row.name, problems))));
          if (links.length === 0) await asleep(2 ** 30, until);
        } finally {
          over.abort();
        }
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const unknown = (name: string) =>
  new TroupeError("team_unknown", `there is no team ${name} in the files, nor in the database: create it first`, {
    name,
  });
