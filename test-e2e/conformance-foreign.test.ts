import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memory } from "../scripts/memory.ts";
import { openTroupe } from "./command-line.ts";
import { describeWith } from "./require.ts";

const { json } = openTroupe();
const packageDir = join(import.meta.dirname, "../packages/conformance");

/** Every check of the lower levels that is data. */
const cases = ["cases/l0", "cases/l1"].flatMap((folder) =>
  readdirSync(join(packageDir, folder)).flatMap((file) =>
    [...readFileSync(join(packageDir, folder, file), "utf8").matchAll(/^- id: (\S+)/gm)].map(([, id = ""]) => id),
  ),
);

const foreign = { python3: "foreign/python/adapter.py", perl: "foreign/perl/adapter.pl" } as const;

for (const [program, adapter] of Object.entries(foreign)) {
  describeWith(program, `the implementation in ${program}`, () => {
    test("that knows nothing but the documentation keeps what the cases of the lower levels ask, in both revisions", () => {
      const only = cases.flatMap((id) => ["--only", id]);
      const target = `${program} ${join(packageDir, adapter)}`;
      const { runs } = json("conformance-run", ["conformance", "run", "--target", target, ...only], {
        env: { TMPDIR: memory },
      });
      const sound = { unexpected: [], counts: { fail: 0, warn: 0, untestable: 0, error: 0 } };
      expect(runs).toMatchObject([
        { revision: "2026-02", footer: sound },
        { revision: "2026-11", footer: sound },
      ]);
      for (const { footer } of runs) expect(footer.counts.pass + footer.counts.na).toBe(cases.length);
      for (const { footer } of runs) expect(footer.counts.pass).toBeGreaterThan(cases.length / 2);
    });
  });
}
