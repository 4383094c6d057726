import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { codecFor, layoutOf } from "@troupe/protocol";
import { type Inbox, openFileStore, openInbox } from "../src/files/index.ts";
import type { Lease, Participant, Store, Tasks, Team } from "../src/store.ts";
import type { Engine } from "../src/testing/index.ts";

/** The engine on files. */
export const filesIn = (root: string): Engine => ({
  open: async () => openFileStore({ root }),
  async expireLeases() {
    for (const path of readdirSync(root, { recursive: true, encoding: "utf8" }))
      if (path.endsWith(".consumer.lock")) utimesSync(join(root, path), 0, 0);
  },
});

/** The methods in which a faulty engine differs from the one on files. */
export interface Fault {
  readonly store?: (store: Store) => Partial<Store>;
  readonly team?: (team: Team, root: string) => Partial<Team>;
  readonly tasks?: (tasks: Tasks, root: string) => Partial<Tasks>;
  readonly participant?: (self: Participant, team: Team, root: string) => Partial<Participant>;
  readonly lease?: (lease: Lease, inbox: Inbox) => Partial<Lease>;
}

export function faulty(
  root: string,
  { store: inStore, team: inTeam, tasks: inTasks, participant, lease }: Fault,
): Engine {
  const tasksWith = (tasks: Tasks): Tasks => ({ ...tasks, ...inTasks?.(tasks, root) });
  const leaseWith = (team: Team, name: string, one: Lease): Lease => {
    const inbox = openInbox({ path: layoutOf(root).team(team.name).inbox(name), codec: codecFor(team.form) });
    return { ...one, ...lease?.(one, inbox) };
  };
  const participantWith = (team: Team, self: Participant): Participant => ({
    ...self,
    tasks: tasksWith(self.tasks),
    receive: async () => leaseWith(team, self.name, await self.receive()),
    ...participant?.(self, team, root),
  });
  const teamWith = (team: Team): Team => ({
    ...team,
    tasks: tasksWith(team.tasks),
    as: async (name) => participantWith(team, await team.as(name)),
    ...inTeam?.(team, root),
  });
  const files = filesIn(root);
  return {
    ...files,
    async open() {
      const store = await files.open();
      return {
        ...store,
        createTeam: async (draft, options) => teamWith(await store.createTeam(draft, options)),
        openTeam: async (name) => {
          const team = await store.openTeam(name);
          return team && teamWith(team);
        },
        ...inStore?.(store),
      };
    },
  };
}
