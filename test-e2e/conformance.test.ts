import { copyFileSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memory } from "../scripts/memory.ts";
import { openTroupe } from "./command-line.ts";

const { home, troupe } = openTroupe();
const repository = join(import.meta.dirname, "..");
const reports = join(repository, ".reports");

interface Line {
  readonly kind: "header" | "check" | "footer";
  readonly verdict?: string;
  readonly requirements?: readonly string[];
}

interface Row {
  readonly id: string;
  readonly obligation: string;
  readonly level: string;
}

/**
 * The path where the count of proved requirements looks for the report; written whole, since two
 * runs may write it.
 */
function keep(file: string, name: string): void {
  mkdirSync(reports, { recursive: true });
  const part = join(reports, `${name}.${process.pid}.part`);
  copyFileSync(file, part);
  renameSync(part, join(reports, name));
}

test.each(["2026-02", "2026-11"])(
  "Troupe keeps every MUST of L0 to L2 in %s: each is asked about, and no check fails",
  (revision) => {
    const out = join(home, "reports");
    const run = ["conformance", "run", "--target", "self", "--revision", revision, "--out", out];
    // One on a disk, and one where it is faster.
    const { status, stdout } = troupe(run, revision === "2026-11" ? { env: { TMPDIR: memory } } : {});
    const file = join(out, revision, "report.ndjson");
    keep(file, `conformance-${revision}.ndjson`);

    const lines: readonly Line[] = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const checks = lines.filter(({ kind }) => kind === "check");
    expect(
      checks.filter(({ verdict = "" }) => !["pass", "na"].includes(verdict)),
      stdout,
    ).toEqual([]);
    const passed = new Set(checks.filter(({ verdict }) => verdict === "pass").flatMap((one) => one.requirements ?? []));
    const clauses = readFileSync(join(repository, `packages/conformance/requirements/${revision}.json`), "utf8");
    const { rows }: { readonly rows: readonly Row[] } = JSON.parse(clauses);
    const musts = rows.filter(({ obligation, level }) => obligation === "MUST" && ["L0", "L1", "L2"].includes(level));
    expect(musts.map(({ id }) => id).filter((id) => !passed.has(id))).toEqual([]);
    expect(lines.at(-1)).toMatchObject({ kind: "footer", levels: { L2: { isMet: true } } });
    expect(status).toBe(0);
  },
  300_000,
);
