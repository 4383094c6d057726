import { readdirSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { highestLevel, methodLevels } from "../adapter/wire.ts";
import { assetJson, assetPath, assetText } from "../assets.ts";
import type { Check, SceneMethod } from "../check.ts";
import { revisions } from "../requirement.ts";
import { runCase } from "./run-steps.ts";
import type { Case, Step } from "./step.ts";

/** All cases that are data, in the order of their files. */
export function loadCases(): readonly Check[] {
  const holds = new Ajv2020({ strict: false, allErrors: true }).compile(assetJson("schemas/case.json") as object);
  const levelOf = methodLevels();
  return ["cases/l0", "cases/l1", "cases/l2"].flatMap((folder) =>
    readdirSync(assetPath(folder))
      .filter((file) => file.endsWith(".yaml"))
      .sort()
      .flatMap((file) => {
        const found: unknown = parse(assetText(`${folder}/${file}`));
        if (!holds(found)) throw new Error(`${folder}/${file} is wrong: ${JSON.stringify(holds.errors?.slice(0, 3))}`);
        return (found as readonly Case[]).map((one) => checkOf(one, levelOf));
      }),
  );
}

function checkOf(one: Case, levelOf: ReturnType<typeof methodLevels>): Check {
  const asked = new Set(methodsOf(one.steps));
  const given = methodsGiven(one);
  // Where nothing is called, the last that is given is itself the subject.
  const subject = asked.size === 0 ? given.at(-1) : undefined;
  const scene = given.filter(isScene).filter((method) => method !== subject && !asked.has(method));
  const methods = [...new Set([...given.filter((method) => !scene.some((one) => one === method)), ...asked])];
  return {
    id: one.id,
    title: one.title,
    requirements: one.requirements,
    level: highestLevel([...scene, ...methods].flatMap((method) => levelOf.get(method) ?? [])),
    revisions: one.revisions ?? revisions,
    needs: { methods, scene, ...(one.features && { features: one.features }) },
    run: (context) => runCase(one, context),
  };
}

const isScene = (method: string): method is SceneMethod => method === "team.create" || method === "member.add";

const methodsOf = (steps: readonly Step[]): readonly string[] =>
  steps.flatMap(({ call, steps: inner = [] }) => [...(call === undefined ? [] : [call]), ...methodsOf(inner)]);

function methodsGiven({ given = {} }: Case): readonly string[] {
  if ((given.team ?? "made") !== "made") return [];
  return ["team.create", ...(given.members ? ["member.add"] : []), ...(given.tasks ? ["task.create"] : [])];
}
