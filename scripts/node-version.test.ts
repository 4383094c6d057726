import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { nodeTooOld, OLDEST_NODE } from "./node-version.mjs";

test.each(["20.19.0", "20.20.2", "22.0.0", "100.0.0"])("Node %s is new enough", (version) => {
  expect(nodeTooOld(version)).toBeUndefined();
});

test.each(["20.18.3", "18.20.8", "8.0.0"])(
  "Node %s is refused in a sentence that names it and what is needed",
  (version) => {
    const problem = nodeTooOld(version);
    expect(problem).toContain(`Node ${version}`);
    expect(problem).toContain(`Node ${OLDEST_NODE} or newer`);
  },
);

test("the version that is checked is the version package.json declares", () => {
  const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(engines.node).toBe(`>=${OLDEST_NODE}`);
});
