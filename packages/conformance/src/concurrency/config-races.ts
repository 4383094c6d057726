import type { Check, CheckContext } from "../check.ts";
import { defaultParams, makeTeam } from "../checks/teams.ts";
import { checkFailure } from "../fault.ts";
import type { Params } from "../target.ts";
import { type Crew, makeCrew, patient, together } from "./crew.ts";
import { membersAt, placesOf } from "./documents.ts";
import { assertExplained } from "./explain.ts";
import { membersModel } from "./models.ts";

const methods = ["member.add"];
const scene = ["team.create"] as const;

const addition = ({ team }: Pick<Crew, "team">, name: string): Params => ({
  ...defaultParams["member.add"],
  team,
  name,
});

const namesOf = (context: CheckContext, { places }: Crew): readonly string[] =>
  membersAt(context, places.config).map(({ name }) => String(name));

const joinStorm: Check = {
  id: "CFG-RACE/a",
  title: "of many who join, leave and change at once, nobody is lost and nobody comes back",
  requirements: ["ATP-CFG-009", "ATP-LCK-003"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods: [...methods, "member.update", "member.remove", "team.get"], scene },
  async run(context) {
    const crew = await makeCrew(context);
    const { team } = crew;
    const before = namesOf(context, crew);
    const count = context.isQuick ? 5 : 40;
    await together(crew, async ({ proc, name }) => {
      for (let number = 0; number < count; number += 1) {
        const own = `${name}-${number}`;
        await context.ok("member.add", addition(crew, own), proc);
        await context.ok("member.update", { team, name: own, set: { model: own } }, proc);
        // Every second one stays, as long as the team stays small enough for every target.
        if (number % 2 === 1 || number > 8) await context.ok("member.remove", { team, name: own }, proc);
        if (number % 3 === 2) await proc.call("team.get", { team });
      }
    });
    const members = membersAt(context, crew.places.config);
    const joined = crew.workers.flatMap(({ name }) =>
      Array.from({ length: count }, (_, number) => number)
        .filter((number) => number % 2 === 0 && number <= 8)
        .map((number) => `${name}-${number}`),
    );
    const [expected, found] = [[...before, ...joined].sort(), members.map(({ name }) => String(name)).sort()];
    if (found.join() !== expected.join()) {
      const lost = expected.filter((name) => !found.includes(name));
      throw checkFailure(`${lost.length} members are lost, ${found.length} are there`, { expected, actual: found });
    }
    const unchanged = members.filter(({ name, model }) => joined.includes(String(name)) && model !== name);
    if (unchanged.length > 0) throw checkFailure("changes of members are lost", { actual: unchanged });
    const about = ["member.add", "member.remove", "team.get"];
    const calls = context.history.filter(({ op, proc }) => about.includes(op) && proc > 0);
    assertExplained(calls, membersModel(before), "no order of the calls explains who was in the team when");
    return { members: found.length };
  },
};

const spawnedColors: Check = {
  id: "CFG-RACE/b",
  title: "eight who are spawned at once have eight colours",
  requirements: ["ATP-MEM-010"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods, scene },
  async run(context) {
    const { team } = await makeTeam(context);
    const procs = (await context.start(8)).map((proc) => patient(context, proc));
    await Promise.all(procs.map((proc, index) => context.ok("member.add", addition({ team }, `m${index}`), proc)));
    const [, ...mates] = membersAt(context, placesOf(context).config);
    const colors = new Set(mates.map(({ color }) => color));
    if (mates.length === 8 && colors.size === 8) return undefined;
    throw checkFailure(`${mates.length} members have ${colors.size} colours`, { expected: 8, actual: mates });
  },
};

const sameName: Check = {
  id: "CFG-RACE/c",
  title: "of eight who are spawned at once under one name each has a name of its own, or is refused",
  requirements: ["ATP-CFG-010"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods, scene },
  async run(context) {
    const crew = await makeCrew(context);
    const rounds = context.isQuick ? 3 : 30;
    for (let round = 0; round < rounds; round += 1) {
      const before = namesOf(context, crew).length;
      const name = `same-${round}`;
      const replies = await together(crew, ({ proc }) => proc.call("member.add", addition(crew, name)));
      const wrong = replies.filter(
        (reply) => reply.outcome === "fail" && !["conflict", "refused"].includes(reply.error.name),
      );
      if (wrong.length > 0)
        throw checkFailure("a taken name was answered otherwise", { expected: "conflict", actual: wrong });
      const found = namesOf(context, crew);
      const added = replies.filter(({ outcome }) => outcome === "ok").length;
      if (added === 0 || new Set(found).size !== found.length || found.length !== before + added) {
        throw checkFailure(`${added} were added as ${name}`, { expected: before + added, actual: found });
      }
    }
    return { rounds };
  },
};

export const configRaces: readonly Check[] = [joinStorm, spawnedColors, sameName];
