import { assetJson } from "../assets.ts";
import type { Check } from "../check.ts";
import { checkFailure } from "../fault.ts";
import { type Revision, revisions } from "../requirement.ts";

/** A document with the judgement every reader must come to. */
interface Vector {
  readonly name: string;
  readonly kind: "config" | "task" | "inbox";
  readonly valid: boolean;
  /** The clause it is about; another one in each revision where two are named. */
  readonly requirements: readonly string[];
  readonly text: string;
}

/** One check for each clause that right and wrong documents are about. */
export function vectorChecks(): readonly Check[] {
  const sets = new Map(revisions.map((revision) => [revision, vectorsOf(revision)]));
  const groups = new Map<string, readonly string[]>();
  for (const { requirements } of [...sets.values()].flat()) groups.set(requirements.join(), requirements);
  return [...groups.values()].map((requirements) => {
    const mine = (revision: Revision) =>
      (sets.get(revision) ?? []).filter((vector) => vector.requirements.join() === requirements.join());
    const [first = ""] = requirements;
    return {
      id: `VEC-${first.replace("ATP-", "")}/a`,
      title: `right and wrong documents are told apart: ${[...new Set(mine("2026-11").map(({ kind }) => kind))].join(", ")}`,
      requirements,
      level: "L0",
      revisions: revisions.filter((revision) => mine(revision).length > 0),
      needs: { methods: ["validate"] },
      async run(context) {
        const wrong: { name: string; expected: boolean; actual: object; text: string }[] = [];
        for (const { name, kind, valid, text } of mine(context.revision)) {
          const found = await context.ok("validate", { kind, text });
          if (found["valid"] !== valid) wrong.push({ name, expected: valid, actual: found, text });
        }
        if (wrong.length > 0) throw checkFailure(`misjudged: ${wrong.map(({ name }) => name).join(", ")}`, { wrong });
        return undefined;
      },
    };
  });
}

const vectorsOf = (revision: Revision): readonly Vector[] =>
  assetJson(`cases/vectors/${revision}.json`) as readonly Vector[];
