import { join } from "node:path";
import { expect, test } from "vitest";
import { openTroupe } from "./command-line.ts";
import { describeWith } from "./require.ts";

const { troupe } = openTroupe();
const target = join(import.meta.dirname, "../packages/conformance/targets/troupe-sessions.yaml");

/** A few of each kind: `npm run conformance:sessions` asks all. */
const some = ["MATE-SEND/a", "MATE-END/a", "LEAD-GONE/a"];

function judge(revision: string, only: readonly string[]) {
  const words = ["conformance", "run", "--target", target, "--revision", revision, "--json"];
  const { stdout, stderr } = troupe([...words, ...only.flatMap((id) => ["--only", id])]);
  const [{ footer }] = JSON.parse(stdout).runs;
  return { stderr, footer };
}

test.each(["2026-02", "2026-11"])("sessions that troupe starts keep what the suite asks of them in %s", (revision) => {
  const { stderr, footer } = judge(revision, some);
  expect(stderr).toBe("");
  expect(footer).toMatchObject({ executed: some.length, unexpected: [], counts: { pass: some.length } });
});

describeWith("tmux", "a session at a screen", () => {
  test("[ATP-SUB-010] the suite types to it, and what was typed is told before a notice", () => {
    const { footer } = judge("2026-11", ["SCREEN-ORDER/a"]);
    expect(footer).toMatchObject({ executed: 1, unexpected: [], counts: { pass: 1 } });
  });
});
