// Every operation that changes something, once, on a team that `prepare` has made. Clock and ids
// are always the same, so that two runs write the same bytes.
import { openFileStore } from "@troupe/store/files";

/** @typedef {import("@troupe/store").Store} Store */
/** @typedef {import("@troupe/store").Team} Team */
/** @typedef {import("@troupe/protocol").Revision} Revision */

const now = new Date("2026-02-13T10:45:20.631Z");
const newTeam = { createdAt: 1, leadSessionId: "b7f5edcc-898c-4e36-983f-1c2e8fec7d28", leadModel: "m", cwd: "/p" };
const mate = { agentType: "general-purpose", model: "m", prompt: "go", joinedAt: 2, cwd: "/p" };

/**
 * @param {string} root
 * @param {{ staleMs?: number, isDurable?: boolean }} [options]
 */
export function openAt(root, { staleMs = 10_000, isDurable = false } = {}) {
  let ids = 0;
  const newId = () => `00000000-0000-4000-8000-${String(++ids).padStart(12, "0")}`;
  return openFileStore({ root, isDurable, limits: { deadlineMs: 15_000, staleMs }, now: () => now, newId });
}

/**
 * How an operation ended, in one line: its result, or the code of its error.
 * @param {Promise<unknown>} attempt
 */
export const endOf = (attempt) =>
  attempt.then(
    (result) => JSON.stringify(result && typeof result === "object" && "form" in result ? "a team" : (result ?? null)),
    (error) => `error ${error.code}: ${error.message}`,
  );

/**
 * @param {string} root
 * @param {Revision} revision
 */
export async function prepare(root, revision) {
  const team = await openAt(root).createTeam({ name: "t", revision, ...newTeam });
  for (const name of ["alice", "bob", "carol"]) await team.join({ name, ...mate });
  const alice = await team.as("alice");
  for (const text of ["one", "two", "three"]) await alice.send("bob", { text, summary: text });
  for (let n = 1; n <= 4; n += 1) await team.tasks.create({ subject: `task ${n}`, description: "" });
  await team.tasks.update("1", { addBlocks: ["2", "3"] });
  await team.tasks.update("4", { addBlockedBy: ["2"] });
}

/**
 * @param {Store} store
 * @returns {Promise<Team>}
 */
export async function teamIn(store) {
  const team = await store.openTeam("t");
  if (!team) throw new Error("there is no team t");
  return team;
}

/** @type {Readonly<Record<string, (store: Store, revision: Revision) => Promise<unknown>>>} */
export const operations = {
  send: async (store) => (await (await teamIn(store)).as("alice")).send("bob", { text: "new", summary: "s" }),
  "send by another": async (store) =>
    (await (await teamIn(store)).as("carol")).send("bob", { text: "also", summary: "s" }),
  "send to an inbox that is not there yet": async (store) =>
    (await (await teamIn(store)).as("alice")).send("carol", { text: "new", summary: "s" }),
  async acknowledge(store) {
    const lease = await (await (await teamIn(store)).as("bob")).receive();
    try {
      const taken = await lease.take();
      await lease.acknowledge(new Set(taken.filter(({ entry }) => entry.text !== "three").map(({ key }) => key)));
    } finally {
      await lease.release();
    }
  },
  join: async (store) => (await teamIn(store)).join({ name: "dave", ...mate }),
  "join of another": async (store) => (await teamIn(store)).join({ name: "erin", ...mate }),
  "update of a member": async (store) => (await teamIn(store)).updateMember("bob", { isActive: true }),
  leave: async (store) => (await teamIn(store)).leave("bob"),
  "create of a task": async (store) => (await teamIn(store)).tasks.create({ subject: "new", description: "" }),
  "create of another task": async (store) => (await teamIn(store)).tasks.create({ subject: "other", description: "" }),
  claim: async (store) => (await teamIn(store)).tasks.claim("1", "alice"),
  "claim by another": async (store) => (await teamIn(store)).tasks.claim("1", "bob"),
  "complete with dependants": async (store) => (await teamIn(store)).tasks.complete("1"),
  "edges between three tasks": async (store) =>
    (await teamIn(store)).tasks.update("4", { addBlockedBy: ["1", "3"], subject: "last" }),
  "edge to another task": async (store) => (await teamIn(store)).tasks.update("4", { addBlockedBy: ["1"] }),
  "remove of a task that others wait for": async (store) => (await teamIn(store)).tasks.remove("2"),
  "remove of the highest task": async (store) => (await teamIn(store)).tasks.remove("4"),
  "change of the highest task": async (store) => (await teamIn(store)).tasks.update("4", { subject: "changed" }),
  "create of a team": (store, revision) =>
    store.createTeam({ ...newTeam, name: "other", revision, leadSessionId: "0a6b3bd1-3d2a-4d7c-9f3a-3f0c1f1f9e4e" }),
  "delete of a team": (store) => store.deleteTeam("t", { evenIfActive: true }),
};
