import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { assetText } from "./assets.ts";
import { loadRequirements, revisions } from "./requirement.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Changes with a new revision of the protocol, never within one. */
const frozen = { "2026-02": [268, "ec1477f40a11"], "2026-11": [299, "ddeb91c38192"] };

test.each(revisions)("the clauses of %s are the frozen ones, to the letter", (revision) => {
  const { rows, sha256: whole } = loadRequirements(revision);
  expect(rows.filter((row) => sha256(row.text) !== row.sha256)).toEqual([]);
  expect(sha256(rows.map((row) => row.sha256).join(""))).toBe(whole);
  expect([rows.length, whole.slice(0, 12)]).toEqual(frozen[revision]);
});

test.each(revisions)("the schemas of %s are the published ones", (revision) => {
  for (const name of ["team-config", "inbox", "task"]) {
    const published = readFileSync(join(import.meta.dirname, `../../../schemas/${revision}/${name}.json`), "utf8");
    expect(assetText(`schemas/${revision}/${name}.json`), "run packages/conformance/scripts/copy-schemas.mjs").toBe(
      published,
    );
  }
});
