import { rmSync } from "node:fs";
import { join } from "node:path";
import { layoutOf, leadName } from "@troupe/protocol";
import type { Fault } from "./engines.ts";

/** The same in tasks, repetitions and events. */
export const taskFaults: Readonly<Record<string, readonly [law: string, fault: Fault]>> = {
  "an id is given again": [
    "no id is given twice",
    {
      tasks: (tasks, root) => ({
        async remove(id) {
          const isThere = await tasks.remove(id);
          rmSync(layoutOf(root).team("crew").highWaterMark, { force: true });
          return isThere;
        },
      }),
    },
  ],
  "a claim looks and then takes": [
    "one of any number that claim",
    {
      tasks: (tasks) => ({
        async claim(id, owner) {
          const { value } = await tasks.get(id);
          if (value?.owner !== undefined) return tasks.claim(id, owner);
          return { outcome: "claimed", task: await tasks.update(id, { owner, status: "in_progress" }) };
        },
      }),
    },
  ],
  "the next one is whatever is found": [
    "each task goes to one",
    {
      tasks: (tasks) => ({
        async claimNext(agent) {
          const last = (await tasks.ready()).at(-1);
          if (!last) return undefined;
          const claim = await tasks.claim(last.id, agent);
          return claim.outcome === "claimed" ? claim.task : undefined;
        },
      }),
    },
  ],
  "an edge is told at one end": [
    "a dependency is told by both",
    {
      tasks: (tasks) => ({
        async list() {
          const { tasks: found, problems } = await tasks.list();
          return { tasks: found.map(({ blocks: _, ...task }) => task), problems };
        },
      }),
    },
  ],
  "circles are left out in silence": [
    "no circle of dependencies",
    {
      tasks: (tasks) => ({
        update: (id, change, by) =>
          tasks.update(id, change, by).catch(async () => (await tasks.get(id)).value as never),
      }),
    },
  ],
  "a task that waits may be taken": [
    "a task that waits for another",
    {
      tasks: (tasks) => ({
        claim: async (id, owner) => ({ outcome: "claimed", task: await tasks.update(id, { owner }) }),
      }),
    },
  ],
  "a task is made and then tied": [
    "a refused change leaves no trace",
    {
      tasks: (tasks) => ({
        async create(draft, { once, ...ties } = {}, by) {
          const { id } = await tasks.create(draft, { once });
          return tasks.update(id, ties, by);
        },
      }),
    },
  ],
  "anybody gives a task back": [
    "released by its owner",
    { tasks: (tasks) => ({ release: (id) => tasks.release(id) }) },
  ],
  "nobody says by whom a task was given": [
    "a new owner is told of its task",
    { participant: (_, team) => ({ tasks: team.tasks }) },
  ],
  "a stamp is no more than a time": [
    "sent again with its stamp",
    {
      participant: (self) => ({
        send: (to, content, stamp) =>
          self.send(
            to,
            content,
            stamp && {
              ...stamp,
              id: crypto.randomUUID(),
              at: new Date(Date.now() + Math.random() * 1e6).toISOString(),
            },
          ),
      }),
    },
  ],
  "the key of a task is not kept": [
    "created again with its key is created once",
    { tasks: (tasks) => ({ create: (draft, { once: _, ...ties } = {}, by) => tasks.create(draft, ties, by) }) },
  ],
  "a task that was removed is made anew by its key": [
    "stays away once it was removed",
    {
      tasks: (tasks, root) => ({
        async remove(id) {
          rmSync(join(root, "troupe"), { recursive: true, force: true });
          return tasks.remove(id);
        },
      }),
    },
  ],
  "the key of a session's task is not kept": [
    "the list of a session",
    {
      store: (store) => ({
        tasksOfSession: (id) => {
          const tasks = store.tasksOfSession(id);
          return { ...tasks, create: (draft) => tasks.create(draft) };
        },
      }),
    },
  ],
  "the key of a member is not kept": [
    "a member that joins again with its key",
    { team: (team) => ({ join: (draft) => team.join(draft) }) },
  ],
  "a name is a key": [
    "a member that joins again with its key",
    {
      team: (team) => ({
        join: (draft, options) =>
          team.join(draft, options).catch(async (error) => {
            const { value } = await team.config();
            const there = value?.members.find(({ name }) => name === draft.name);
            if (there) return there;
            throw error;
          }),
      }),
    },
  ],
  "the key of a team is not kept": [
    "a team that is created again with its key",
    { store: (store) => ({ createTeam: (draft) => store.createTeam(draft) }) },
  ],
  "the history begins anew with every look": [
    "a recorded event is in the history once",
    { team: (team) => ({ history: (_, signal) => team.history(undefined, signal) }) },
  ],
  "who recorded an event is not kept": [
    "a recorded event is in the history once",
    { participant: (_, team) => ({ record: async (event) => (await team.as(leadName)).record(event) }) },
  ],
  "the history ends with what is there": [
    "with a signal the history goes on",
    { team: (team) => ({ history: (after) => team.history(after) }) },
  ],
  "the history outlives its team": [
    "begins with an empty history",
    {
      store: (store) => ({
        createTeam: (draft, options) => store.createTeam({ ...draft, createdAt: 1_770_000_000_000 }, options),
        deleteTeam: async () => {},
      }),
    },
  ],
  "a store is never closed": ["a store that is closed", { store: () => ({ close: async () => {} }) }],
  "whoever ends a team does not look who works": [
    "a team ends once its teammates",
    { store: (store) => ({ deleteTeam: (name) => store.deleteTeam(name, { evenIfActive: true }) }) },
  ],
  "each look is the first one": [
    "an observer sees",
    {
      store: (store) => ({
        onlook: () => ({
          team: (...args) => store.onlook().team(...args),
          list: (...args) => store.onlook().list(...args),
          all: (...args) => store.onlook().all(...args),
        }),
      }),
    },
  ],
  "a plan is forgotten": ["plans are kept", { store: () => ({ savePlan: async () => {} }) }],
};
