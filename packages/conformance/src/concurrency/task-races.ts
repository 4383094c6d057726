import type { Check, CheckContext } from "../check.ts";
import { makeTasks } from "../checks/teams.ts";
import { checkFailure } from "../fault.ts";
import { isRecord } from "../record.ts";
import type { Params } from "../target.ts";
import { makeCrew, together } from "./crew.ts";
import { type Fields, type Places, taskAt, taskIdsIn } from "./documents.ts";
import { assertExplained } from "./explain.ts";
import { counterModel } from "./models.ts";

const scene = ["team.create", "member.add"] as const;

const createStorm: Check = {
  id: "TSK-RACE/a",
  title: "eight who make tasks at once get ids of their own, one after the other, and every file is there",
  requirements: ["ATP-TSK-003"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { scene, methods: ["task.create"] },
  async run(context) {
    const crew = await makeCrew(context);
    const count = context.isQuick ? 10 : 100;
    const subjects = await together(crew, async ({ proc, name }) => {
      const own = new Map<string, string>();
      for (let number = 0; number < count; number += 1) {
        const subject = `${name}: ${number}`;
        const params = { team: crew.team, subject, description: "One of many" };
        own.set(String((await context.ok("task.create", params, proc))["id"]), subject);
      }
      return own;
    });
    const made = subjects.reduce((sum, own) => sum + own.size, 0);
    const given = new Map(subjects.flatMap((own) => [...own]));
    if (given.size < made) throw checkFailure("an id was given twice", { expected: made, actual: given.size });
    for (const [id, subject] of given) {
      const found = taskAt(context, crew.places.task(id))["subject"];
      if (found !== subject) {
        throw checkFailure(`task ${id} is another than was made`, { expected: subject, actual: found });
      }
    }
    const creations = context.history.filter(({ op }) => op === "task.create");
    assertExplained(creations, counterModel, "no order of the calls gives each the id above the highest");
    return { tasks: given.size };
  },
};

/** The concurrent changes of the workers: each to a part that no other touches. */
const changesOf = (round: number): readonly Params[] => [
  { subject: `subject ${round}` },
  { description: `description ${round}` },
  { activeForm: `Form ${round}` },
  { metadata: { w3: round } },
  { metadata: { w4: round } },
  { metadata: { w5: `${round}` } },
  { owner: round % 2 === 0 ? "w6" : "w7" },
  { metadata: { w7: [round] } },
];

const expectedOf = (round: number): Fields => ({
  subject: `subject ${round}`,
  description: `description ${round}`,
  activeForm: `Form ${round}`,
  owner: round % 2 === 0 ? "w6" : "w7",
  metadata: { w3: round, w4: round, w5: `${round}`, w7: [round], kept: "from the start" },
  status: "pending",
  blocks: [],
  blockedBy: [],
});

function assertTask(found: Fields, expected: Fields, round: number): void {
  const wrong = Object.entries(expected).filter(([field, value]) => sorted(found[field]) !== sorted(value));
  if (wrong.length === 0) return;
  const fields = wrong.map(([field]) => field);
  throw checkFailure(`in round ${round} these are not what was written: ${fields.join(", ")}`, {
    expected: Object.fromEntries(wrong),
    actual: found,
  });
}

/** As JSON, with the keys of an object in order. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );

const fieldRace: Check = {
  id: "TSK-RACE/b",
  title:
    "eight who change different fields of one task at once all find their change on disk, and nothing else changed",
  requirements: ["ATP-TSK-017", "ATP-TSK-018", "ATP-LCK-001"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { scene, methods: ["task.create", "task.update"] },
  async run(context) {
    const crew = await makeCrew(context);
    const { team, places } = crew;
    const metadata = { kept: "from the start" };
    await context.ok("task.create", { team, subject: "Task 1", description: "For all", metadata });
    const rounds = context.isQuick ? 12 : 100;
    for (let round = 1; round <= rounds; round += 1) {
      const changes = changesOf(round);
      await together(crew, ({ proc }, index) =>
        context.ok("task.update", { team, id: "1", ...changes[index % changes.length] }, proc),
      );
      assertTask(taskAt(context, places.task("1")), expectedOf(round), round);
    }
    return { rounds };
  },
};

/**
 * Every dependency of unfinished tasks that stands on one side only, at a moment when nobody works.
 */
function halfEdges(context: CheckContext, places: Places): readonly string[] {
  const tasks = new Map(taskIdsIn(places.tasks).map((id) => [id, taskAt(context, places.task(id))] as const));
  const names = (id: string, side: "blocks" | "blockedBy") => (tasks.get(id)?.[side] ?? []) as readonly string[];
  return [...tasks.keys()].flatMap((id) => {
    const isDone = tasks.get(id)?.["status"] === "completed";
    const forward = names(id, "blocks").filter((other) => !isDone && !names(other, "blockedBy").includes(id));
    const backward = names(id, "blockedBy").filter((other) => !names(other, "blocks").includes(id));
    return [
      ...forward.map((other) => `${id} blocks ${other}, which does not say so`),
      ...backward.map((other) => `${id} waits for ${other}, which does not say so`),
    ];
  });
}

const edgeRace: Check = {
  id: "TSK-EDGE/a",
  title: "whenever nobody works, each dependency stands in both tasks, and none that was made is missing",
  requirements: ["ATP-TSK-036"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { scene, methods: ["task.create", "task.update"] },
  async run(context) {
    const crew = await makeCrew(context);
    const { team, places } = crew;
    const rounds = context.isQuick ? 3 : 30;
    const width = crew.workers.length;
    for (let round = 0; round < rounds; round += 1) {
      const [hub = "", ...spokes] = await makeTasks(context, team, width + 1);
      const completing = Math.floor(context.random() * width);
      await together(crew, ({ proc }, index) => {
        const spoke = spokes[index] ?? "";
        if (index === completing) return context.ok("task.update", { team, id: spoke, status: "completed" }, proc);
        const change = index % 2 === 0 ? { id: hub, addBlockedBy: [spoke] } : { id: spoke, addBlocks: [hub] };
        return context.ok("task.update", { team, ...change }, proc);
      });
      const half = halfEdges(context, places);
      if (half.length > 0) throw checkFailure(`half a dependency: ${half[0]}`, { actual: half });
      const waitsFor = taskAt(context, places.task(hub))["blockedBy"] as readonly string[];
      const lost = spokes.filter((id, index) => index !== completing && !waitsFor.includes(id));
      if (lost.length > 0)
        throw checkFailure(`dependencies are lost: ${hub} waits for ${waitsFor}`, { expected: lost });
    }
    return { rounds };
  },
};

const circleRace: Check = {
  id: "TSK-EDGE/b",
  title:
    "eight who together would close a circle of dependencies do not all succeed, and who is refused leaves nothing",
  requirements: ["ATP-TSK-034"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { scene, methods: ["task.create", "task.update"] },
  async run(context) {
    const crew = await makeCrew(context);
    const { team, places } = crew;
    const rounds = context.isQuick ? 4 : 30;
    for (let round = 0; round < rounds; round += 1) {
      const ids = await makeTasks(context, team, crew.workers.length);
      const nextOf = (index: number) => ids[(index + 1) % ids.length] ?? "";
      const replies = await together(crew, ({ proc }, index) =>
        proc.call("task.update", { team, id: ids[index] ?? "", addBlockedBy: [nextOf(index)] }),
      );
      const isMade = replies.map(({ outcome }) => outcome === "ok");
      if (isMade.every(Boolean)) throw checkFailure("a circle was made", { actual: ids });
      for (const [index, id] of ids.entries()) {
        const found = taskAt(context, places.task(id))["blockedBy"] as readonly string[];
        if (found.includes(nextOf(index)) === isMade[index]) continue;
        const reply = replies[index];
        throw checkFailure(`task ${id} is not what its caller was answered`, { expected: reply, actual: found });
      }
      const half = halfEdges(context, places);
      if (half.length > 0) throw checkFailure(`half a dependency: ${half[0]}`, { actual: half });
    }
    return { rounds };
  },
};

export const taskRaces: readonly Check[] = [createStorm, fieldRace, edgeRace, circleRace];
