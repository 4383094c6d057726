import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Revision } from "@troupe/protocol";
import type { Store, Team } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import { type Bridge, migratePostgresStore, openBridge, openPostgresStore } from "@troupe/store-postgres";
import { expect } from "vitest";
import { memory } from "../../../scripts/memory.ts";
import type { Place, Server } from "../server.ts";

/** The files of one machine. */
export interface Root {
  readonly host: string;
  readonly directory: string;
  readonly store: Store;
  /** Whether it has a bridge. */
  isTied(): boolean;
  /** Carries what waits over a bridge of its own; gives what stands in the way. */
  carry(): Promise<readonly string[]>;
  close(): Promise<void>;
  open(): Promise<Bridge>;
  /** A document below the root. */
  read(path: string): unknown;
  write(path: string, document: unknown): void;
}

export interface Roots {
  readonly place: Place;
  readonly shared: Store;
  readonly a: Root;
  readonly b: Root;
  readonly c: Root;
  team(root: Root): Promise<Team>;
  /** All bridges that are, as often as it takes for what is on one side to be on all. */
  carry(): Promise<void>;
}

const lead = { createdAt: 1_770_000_000_000, leadSessionId: "one", leadModel: "m", cwd: "/p" };
const mate = (name: string) => ({ name, agentType: "a", model: "m", prompt: `be ${name}`, joinedAt: 1, cwd: "/p" });

/** A lead and alice on host a, bob on b; nobody is on c, which is tied when it first carries. */
export async function withRoots(
  server: Server,
  revision: Revision,
  work: (roots: Roots) => Promise<void>,
): Promise<void> {
  const place = await server.newPlace();
  await migratePostgresStore(place);
  const shared = await openPostgresStore(place);
  const [a, b, c] = [rootAt("a", place), rootAt("b", place), rootAt("c", place)];
  const teamOf = async (root: Root) => {
    const team = await root.store.openTeam("crew");
    if (team) return team;
    throw new Error(`there is no team in the files of ${root.host}`);
  };
  const carry = async () => {
    const open = [a, b, c].filter((root) => root.isTied());
    for (const root of [...open, ...open]) expect(await root.carry()).toEqual([]);
  };
  try {
    const team = await a.store.createTeam({ name: "crew", ...lead, revision });
    await team.join(mate("alice"));
    await a.carry();
    await b.carry();
    await (await teamOf(b)).join(mate("bob"));
    for (const root of [b, a]) await root.carry();
    await work({ place, shared, a, b, c, team: teamOf, carry });
  } finally {
    await Promise.all([a.close(), b.close(), c.close(), shared.close()]);
  }
}

function rootAt(host: string, { url }: Place): Root {
  const directory = mkdtempSync(join(memory, `root-${host}-`));
  const store = openFileStore({ root: directory });
  const open = () => openBridge({ url, root: directory, host, teams: ["crew"] });
  let bridge: Bridge | undefined;
  return {
    host,
    directory,
    store,
    open,
    isTied: () => bridge !== undefined,
    async carry() {
      bridge ??= await open();
      return (await bridge.once()).get("crew")?.problems ?? [];
    },
    async close() {
      await Promise.all([bridge?.close(), store.close()]);
      rmSync(directory, { recursive: true, force: true });
    },
    read: (path) => JSON.parse(readFileSync(join(directory, path), "utf8")),
    write(path, document) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), JSON.stringify(document, null, 2));
    },
  };
}

/** The files of a bridge that know how far it is. */
export const known = ({ directory }: Root): readonly string[] =>
  readdirSync(join(directory, "troupe/bridge/crew"), { recursive: true, encoding: "utf8" }).map((path) =>
    join("troupe/bridge/crew", path),
  );
