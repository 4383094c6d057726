import { Ajv2020 } from "ajv/dist/2020.js";
import { assetJson } from "../assets.ts";
import type { Revision } from "../requirement.ts";
import { configs, inboxes, tasks } from "./parts.ts";
import { type Part, type Rule, type Subject, violation } from "./rule.ts";

/** The most faults that are reported for one document. */
const maxFaults = 20;

/** Rules that hold documents against the schemas as they were published. */
export const schemaRules: readonly Rule[] = [
  bySchema("GRADE-SCHEMA/a", "configs satisfy the published schema", ["ATP-CFG-013"], "team-config", configs),
  bySchema("GRADE-SCHEMA/b", "inboxes satisfy the published schema", ["ATP-INB-001", "ATP-INB-101"], "inbox", inboxes),
  bySchema("GRADE-SCHEMA/c", "tasks satisfy the published schema", ["ATP-TSK-005", "ATP-TSK-109"], "task", tasks),
];

function bySchema(
  id: string,
  title: string,
  requirements: readonly string[],
  schema: string,
  partsOf: (subject: Subject) => readonly Part[],
): Rule {
  return {
    id,
    title,
    requirements,
    judge(subject) {
      const holds = compile(subject.revision, schema);
      return partsOf(subject).map((part) => {
        if (holds(part.value)) return [];
        const faults = (holds.errors ?? []).slice(0, maxFaults);
        return faults.map(({ instancePath, message }) =>
          violation({ path: part.path, at: instancePath }, message ?? ""),
        );
      });
    },
  };
}

const compile = (revision: Revision, schema: string) =>
  new Ajv2020({ strict: false, allErrors: true }).compile(assetJson(`schemas/${revision}/${schema}.json`) as object);
