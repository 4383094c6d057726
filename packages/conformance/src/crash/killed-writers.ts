import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Check, CheckContext } from "../check.ts";
import { defaultParams, makeTasks, makeTeam } from "../checks/teams.ts";
import { goesAhead } from "../concurrency/crew.ts";
import {
  demand,
  entriesAt,
  membersAt,
  type Places,
  placesOf,
  taskAt,
  taskIdsIn,
  textsIn,
} from "../concurrency/documents.ts";
import { checkFailure } from "../fault.ts";
import { namesIn } from "../reader/root.ts";
import { ageLocks, type Deed, isDone, killDuring, type Outcome, recoveryMs, victims } from "./killing.ts";

/** The operation that is killed, and what must hold afterwards. */
interface Scene {
  /** Deeds that a writer may be killed in, different in every round. */
  deeds(round: number): readonly Deed[];
  /** Ends the check where something that was acknowledged is not there, or half of something is. */
  assertSound(outcomes: readonly Outcome[]): Promise<void> | void;
  /** The next write to each document. */
  readonly next: (round: number) => readonly Deed[];
}

/** Kills one writer in each round, looks at what it left, and lets the next one work. */
async function killInRounds(
  context: CheckContext,
  open: (team: string, places: Places) => Promise<Scene>,
  rounds: number,
) {
  const { team } = await makeTeam(context, ["alice", "bob"]);
  const scene = await open(team, placesOf(context));
  const outcomes: Outcome[] = [];
  let [round, left] = [0, 0];
  const goOn = async () => {
    for (const { method, params } of scene.next(round)) {
      const complaint = `${method} does not go ahead after another process was killed`;
      await goesAhead(context, method, params, recoveryMs(context), complaint);
    }
  };
  await goOn();
  for await (const victim of victims(context, rounds)) {
    round += 1;
    outcomes.push(...(await killDuring(context, victim, scene.deeds(round))));
    await scene.assertSound(outcomes);
    left += ageLocks(context).length;
    await goOn();
  }
  await scene.assertSound(outcomes);
  return { kills: rounds, locksLeft: left };
}

const roundsOf = (context: CheckContext): number => (context.isQuick ? 16 : 300);

/**
 * Each text with a known outcome is there once, with an unknown one at most once, and nothing else.
 */
function assertTexts(found: readonly string[], outcomes: readonly Outcome[], others: ReadonlySet<string>): void {
  const counts = new Map<string, number>();
  for (const text of found) counts.set(text, (counts.get(text) ?? 0) + 1);
  const textOf = ({ params }: Outcome) => String(params["text"]);
  const lost = outcomes.filter((outcome) => isDone(outcome) && !counts.has(textOf(outcome))).map(textOf);
  if (lost.length > 0) throw checkFailure(`acknowledged and not there: ${lost.length}`, { expected: lost });
  const doubled = [...counts].filter(([, count]) => count > 1).map(([text]) => text);
  if (doubled.length > 0) throw checkFailure(`sent once and there twice: ${doubled.length}`, { actual: doubled });
  const sent = new Set(outcomes.map(textOf));
  const strange = found.filter((text) => !sent.has(text) && !others.has(text));
  if (strange.length > 0) throw checkFailure("messages that nobody sent", { actual: strange });
}

const killedSender: Check = {
  id: "KILL-INBOX/a",
  title: "an inbox is an array of whole messages, whenever its writers are killed, and the next one goes ahead",
  requirements: ["ATP-LCK-011", "ATP-LCK-012", "ATP-INB-110"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods: ["team.create", "member.add", "inbox.append"] },
  async run(context) {
    const long = "and so on, ".repeat(200);
    const append = (team: string, text: string) => ({
      method: "inbox.append",
      params: { team, agent: "alice", from: "bob", text },
      file: placesOf(context).inbox("alice"),
    });
    const others = new Set<string>();
    const scene = async (team: string, { inbox, inboxes }: Places): Promise<Scene> => ({
      deeds: (round) => [1, 2, 3, 4, 5].map((number) => append(team, `${round}-${number} ${long}`)),
      next(round) {
        others.add(`next-${round}`);
        return [append(team, `next-${round}`)];
      },
      assertSound(outcomes) {
        assertTexts(textsIn(entriesAt(context, inbox("alice"))), outcomes, others);
        const strange = namesIn(inboxes).filter((name) => name.endsWith(".json") && name !== "alice.json");
        if (strange.length > 0)
          throw checkFailure("what a killed writer left looks like an inbox", { actual: strange });
      },
    });
    return killInRounds(context, scene, roundsOf(context));
  },
};

const wordsOf = (round: number, number: number): string => `${round}-${number} ${"with many words ".repeat(400)}`;

const killedWorker: Check = {
  id: "KILL-TASK/a",
  title: "tasks are whole and none is lost or invented, whenever their writers are killed, and the next one goes ahead",
  requirements: ["ATP-FS-005", "ATP-LCK-011", "ATP-LCK-012"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods: ["team.create", "member.add", "task.create", "task.update", "task.list"] },
  async run(context) {
    const scene = async (team: string, { list, task, tasks }: Places): Promise<Scene> => {
      for (const id of await makeTasks(context, team, 2)) demand(context, task(id));
      for (const name of ["1.json.4711.tmp", "7.json.tmp.5e1f0a7c", ".tmp-8.json"]) {
        writeFileSync(`${tasks}/${name}`, '{"id": "8", "subject": "left by a wri');
      }
      return {
        deeds: (round) => {
          const update = (number: number) => ({ id: String((number % 2) + 1), description: wordsOf(round, number) });
          return [1, 2, 3, 4].flatMap((number) => [
            { method: "task.update", params: { team, ...update(number) }, file: task(update(number).id) },
            {
              method: "task.create",
              params: { team, subject: `made ${round}-${number}`, description: wordsOf(round, 0) },
              file: list,
            },
          ]);
        },
        next: (round) => [
          { method: "task.update", params: { team, id: "1", description: "d", metadata: { round } } },
          { method: "task.update", params: { team, id: "2", description: "d", metadata: { round } } },
          { method: "task.create", params: { team, subject: `next ${round}`, description: "d" } },
        ],
        async assertSound(outcomes) {
          const ids = taskIdsIn(tasks);
          const found = new Map(ids.map((id) => [id, taskAt(context, task(id))] as const));
          assertWhole(context, found, task);
          const made = outcomes.filter(({ method }) => method === "task.create");
          for (const outcome of made) {
            const { reply, params } = outcome;
            if (reply.outcome !== "ok" || found.get(String(reply.result["id"]))?.["subject"] === params["subject"])
              continue;
            throw checkFailure("an acknowledged task is not there", { expected: params, actual: reply });
          }
          const subjects = made.map(({ params }) => params["subject"]);
          const strange = [...found.values()].filter(
            ({ subject }) => `${subject}`.startsWith("made") && !subjects.includes(subject),
          );
          if (strange.length > 0) throw checkFailure("tasks that nobody made", { actual: strange });
          const { tasks: listed } = (await context.ok("task.list", { team })) as { tasks: readonly { id: string }[] };
          const listedIds = listed.map(({ id }) => id);
          if (listedIds.join() === ids.join()) return;
          throw checkFailure("the list is other than the files", { expected: ids, actual: listedIds });
        },
      };
    };
    return killInRounds(context, scene, roundsOf(context));
  },
};

function assertWhole(
  context: CheckContext,
  found: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  task: Places["task"],
) {
  for (const [id, { id: own, subject, description, status }] of found) {
    const isWhole = own === id && [subject, description, status].every((field) => typeof field === "string");
    const text = String(description);
    const isHalf = /^[0-9]+-[0-9]+ /.test(text) && text.slice(text.indexOf(" ") + 1) !== wordsOf(0, 0).slice(4);
    if (isWhole && !isHalf) continue;
    throw checkFailure(`${relative(context.root, task(id))} is not whole`, { actual: demand(context, task(id)) });
  }
}

const killedSpawner: Check = {
  id: "KILL-CONFIG/a",
  title:
    "the config is whole and lists every member that joined, whenever its writers are killed, and the next writer succeeds",
  requirements: ["ATP-LCK-011", "ATP-LCK-012"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods: ["team.create", "member.add", "member.update", "member.remove"] },
  async run(context) {
    const scene = async (team: string, { config }: Places): Promise<Scene> => ({
      deeds: (round) =>
        [1, 2, 3].flatMap((number) => {
          const name = `m${round}-${number}`;
          const prompt = wordsOf(round, number);
          return [
            { method: "member.add", params: { ...defaultParams["member.add"], team, name, prompt }, file: config },
            { method: "member.update", params: { team, name, set: { model: `model-of-${name}` } }, file: config },
            { method: "member.remove", params: { team, name }, file: config },
          ];
        }),
      next: (round) => [{ method: "member.update", params: { team, name: "alice", set: { model: `model-${round}` } } }],
      assertSound(outcomes) {
        const members = new Map(membersAt(context, config).map((member) => [String(member["name"]), member] as const));
        const last = new Map(outcomes.map((outcome) => [String(outcome.params["name"]), outcome] as const));
        for (const [name, outcome] of last) {
          if (!isDone(outcome)) continue;
          const isIn = outcome.method !== "member.remove";
          const model = members.get(name)?.["model"];
          const isChanged = outcome.method !== "member.update" || model === `model-of-${name}`;
          if (members.has(name) === isIn && isChanged) continue;
          throw checkFailure(`an acknowledged ${outcome.method} is not there`, {
            expected: outcome.params,
            actual: members.get(name),
          });
        }
        const strange = [...members.keys()].filter((name) => /^m[0-9]/.test(name) && !last.has(name));
        if (strange.length > 0) throw checkFailure("members that nobody added", { actual: strange });
      },
    });
    // Each killed writer leaves a member behind, and a team must not grow without end.
    return killInRounds(context, scene, Math.min(roundsOf(context), 50));
  },
};

export const killedWriters: readonly Check[] = [killedSender, killedWorker, killedSpawner];
