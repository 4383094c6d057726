import { readdirSync, readFileSync } from "node:fs";
import { layoutOf, taskIdOf } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { checkInbox, checkMembers, checkTasks } from "./checks.mjs";
import { randomFrom } from "./random.mjs";
import { createRecords } from "./records.mjs";
import { work } from "./work.mjs";

const slots = 6;
/** Small, so that a round meets many locks that were left behind. */
const staleMs = 150;
const revisions = { old: "2026-02", new: "2026-11" };

/**
 * Works on a team of each revision for a while, with processes killed and stopped; then holds every
 * file against what was said.
 */
export async function round({ root, seconds, seed }) {
  const random = randomFrom(seed);
  const store = openFileStore({ root, limits: { deadlineMs: 15_000, staleMs } });
  for (const [name, revision] of Object.entries(revisions)) {
    const lead = { createdAt: 1, leadSessionId: crypto.randomUUID(), leadModel: "m", cwd: "/" };
    const team = await store.createTeam({ name, revision, ...lead });
    for (let slot = 0; slot < slots; slot += 1)
      await team.join({ name: `m${slot}`, agentType: "a", model: "m", prompt: "p", joinedAt: 1, cwd: "/" });
  }
  const { records, listen } = createRecords();
  const tally = { kills: 0, stops: 0, faults: [] };
  await work({ root, slots, staleMs, seconds, random, listen, tally });
  tally.faults.push(...(await touchAll(store, layoutOf(root))));
  for (const form of Object.keys(revisions)) tally.faults.push(...checkTeam(layoutOf(root).team(form), form, records));
  for (const { outcome, operation, result } of records) {
    if (outcome === "torn") tally.faults.push({ kind: "torn", why: `${operation}: ${result}` });
    if (outcome === "failed") tally.faults.push({ kind: "stuck", why: `${operation}: ${result}` });
  }
  const count = (wanted) => records.filter(({ outcome }) => outcome === wanted).length;
  return { ...tally, ops: count("ok"), refused: count("refused"), open: count("open"), left: leftBehind(root) };
}

/**
 * Every document once under its lock: what a kill has left is taken over and mended now, and
 * nothing may stand in the way.
 */
async function touchAll(store, layout) {
  const faults = [];
  const attempt = async (what, work) => {
    try {
      return await work();
    } catch (error) {
      faults.push({ kind: "stuck", why: `${what} after the round: ${error.stack}` });
    }
  };
  for (const form of Object.keys(revisions)) {
    const team = await store.openTeam(form);
    const lead = await team.as("team-lead");
    for (let slot = 0; slot < slots; slot += 1)
      await attempt(`m${slot}`, () => lead.send(`m${slot}`, { text: "end 0 ", summary: "end" }));
    await attempt("config", () => team.updateMember("m0", { isActive: false }));
    const { tasks, problems } = await team.tasks.list();
    for (const { id, message } of problems) faults.push({ kind: "torn", why: `${form} ${id}: ${message}` });
    for (const { id, status } of tasks) await attempt(`task ${id}`, () => team.tasks.update(id, { status }));
    const last = await attempt("create", () => team.tasks.create({ subject: "end", description: "" }));
    const given = readdirSync(layout.team(form).tasks).flatMap((name) => taskIdOf(name) ?? []);
    if (given.some((id) => Number(id) > Number(last?.id)))
      faults.push({ kind: "doubled", why: `${last?.id} is not the highest` });
  }
  return faults;
}

function checkTeam(paths, form, all) {
  const faults = [];
  const read = (path, otherwise) => {
    try {
      return JSON.parse(readFileSync(path, "utf8"));
    } catch (error) {
      faults.push({ kind: error.code === "ENOENT" ? "lost" : "torn", why: `${path}: ${error.message}` });
      return otherwise;
    }
  };
  const records = all.filter(({ team }) => team === form);
  for (let slot = 0; slot < slots; slot += 1) {
    const owner = `m${slot}`;
    const entries = read(paths.inbox(owner), []).filter(({ summary }) => summary !== "end");
    faults.push(...checkInbox({ form, owner, entries, records }));
  }
  const ids = readdirSync(paths.tasks).flatMap((name) => taskIdOf(name) ?? []);
  const found = ids.map((id) => [id, read(paths.task(id), { blocks: [], blockedBy: [] })]);
  const tasks = new Map(found.filter(([, { status }]) => status !== "deleted"));
  faults.push(...checkTasks({ form, tasks, records }));
  faults.push(...checkMembers({ config: read(paths.config, { members: [] }), records }));
  return faults;
}

/** Locks, temporary files and the like that nobody has removed. */
const leftBehind = (root) =>
  readdirSync(root, { recursive: true }).filter(
    (name) => /\.(tmp|lock|stale|break|damaged)[-.0-9a-f]*$/.test(name) && !/tasks\/[^/]*\/\.lock$/.test(name),
  );
