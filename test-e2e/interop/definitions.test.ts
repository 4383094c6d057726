import { lintAgentDefinition, lintRules } from "@troupe/protocol/agent";
import { expect, test } from "vitest";
import { definitions } from "./definitions.ts";

test("there are 200 definitions in files of their own, each about one rule, and some of each rule break it", () => {
  expect(definitions).toHaveLength(200);
  expect(new Set(definitions.map(({ file }) => file.toLowerCase())).size).toBe(200);
  const broken = definitions.filter(({ rule, file, text }) =>
    lintAgentDefinition({ path: `.claude/agents/${file}`, text }).some((finding) => finding.rule === rule),
  );
  const rules = lintRules.map(({ id }) => id);
  expect(rules.filter((id) => !broken.some(({ rule }) => rule === id))).toEqual([]);
  const kept = definitions.filter((one) => !broken.includes(one));
  expect(rules.filter((id) => !kept.some(({ rule }) => rule === id))).toEqual([]);
});
