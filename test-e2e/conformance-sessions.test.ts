import { join } from "node:path";
import { expect, test } from "vitest";
import { openTroupe } from "./command-line.ts";

const { troupe } = openTroupe();
const target = join(import.meta.dirname, "../packages/conformance/targets/troupe-sessions.yaml");

/** A few of each kind: `npm run conformance:sessions` asks all. */
const some = ["MATE-SEND/a", "MATE-END/a", "LEAD-GONE/a"];

test.each(["2026-02", "2026-11"])("sessions that troupe starts keep what the suite asks of them in %s", (revision) => {
  const words = ["conformance", "run", "--target", target, "--revision", revision, "--json"];
  const { stdout, stderr } = troupe([...words, ...some.flatMap((id) => ["--only", id])]);
  const [{ footer }] = JSON.parse(stdout).runs;
  expect(stderr).toBe("");
  expect(footer).toMatchObject({ executed: some.length, unexpected: [], counts: { pass: some.length } });
});
