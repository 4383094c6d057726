import type { Team } from "@troupe/store";
import {
  admitHost,
  type HostDesk,
  migratePostgresStore,
  openHostDesk,
  openPostgresStore,
  type PostgresStore,
} from "@troupe/store-postgres";
import type { Place, Server } from "./server.ts";

const lead = { createdAt: 1_770_000_000_000, leadSessionId: "one", leadModel: "m", cwd: "/p" };
const mate = (name: string) => ({ name, agentType: "a", model: "m", prompt: "go", joinedAt: 1, cwd: "/p" });
export const minute = { slots: 2, labels: ["backend:process"], leaseMs: 60_000 };

interface HostOfTest {
  readonly desk: HostDesk;
  readonly role: string;
  readonly url: string;
}

interface Scene {
  readonly place: Place;
  readonly store: PostgresStore;
  readonly team: Team;
  ask(member: string, ...wanted: readonly string[]): Promise<string>;
  /** A host that was admitted; it has not registered yet. */
  host(...labels: readonly string[]): Promise<HostOfTest>;
  /** The team, as a teammate of that start sees it. */
  seen(host: HostOfTest, start: string | null | undefined): Promise<Team>;
}

/** A team with alice and bob, and hosts that a test admits. */
export async function withCrew(server: () => Server, work: (scene: Scene) => Promise<void>): Promise<void> {
  const place = await server().newPlace();
  await migratePostgresStore(place);
  const store = await openPostgresStore(place);
  const open: { close(): Promise<void> }[] = [store];
  const team = await store.createTeam({ name: "crew", ...lead });
  for (const name of ["alice", "bob"]) await team.join(mate(name));
  const scene: Scene = {
    place,
    store,
    team,
    ask: (member, ...wanted) => store.spawns.ask({ team: "crew", member, spec: { prompt: "go" }, wanted }),
    async host(...labels) {
      const { role, url } = await place.newRole();
      await admitHost({ url: place.url, role, labels });
      const desk = await openHostDesk({ url });
      open.push(desk);
      return { desk, role, url };
    },
    async seen({ desk }, start) {
      const there = await openPostgresStore({ url: desk.urlOf(start ?? "") });
      open.push(there);
      return (await there.openTeam("crew")) as Team;
    },
  };
  try {
    await work(scene);
  } finally {
    for (const one of open.reverse()) await one.close();
  }
}
