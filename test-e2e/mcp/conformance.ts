import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProcess } from "@troupe/process";
import type { Served } from "./stage.ts";

/** What the checks of a version of MCP are expected to find, and why that is right. */
export interface Expected {
  /** The package of the checks below node_modules. */
  readonly checks: string;
  readonly version: string;
  readonly fails: readonly { readonly because: string; readonly ids: readonly string[] }[];
}

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
  readonly errorMessage?: string;
}

export interface Outcome {
  readonly passed: number;
  readonly explained: number;
  /** What differs from what is expected, in words. */
  readonly strange: readonly string[];
}

/** Runs the published checks of a version of MCP against a server. */
export async function conformanceOf(
  { checks, version, fails }: Expected,
  { url }: Served,
  {
    node,
    packages,
    environment,
  }: Readonly<{ node: string; packages: string; environment: Readonly<Record<string, string>> }>,
): Promise<Outcome> {
  const out = mkdtempSync(join(tmpdir(), "troupe-mcp-checks-"));
  try {
    const program = join(packages, "node_modules", checks, "dist/index.js");
    const wish = ["--url", url, "--suite", "all", "--spec-version", version];
    const run = await runProcess({
      program: node,
      args: [program, "server", ...wish, "--output-dir", out],
      cwd: out,
      environment,
      timeoutMs: 120_000,
      keptBytes: 1 << 20,
    });
    if (run.failure !== undefined) throw new Error(`the checks of ${version} ${run.failure}`);
    const found = readdirSync(out).flatMap((directory) => checksIn(out, directory));
    if (found.length === 0) throw new Error(`the checks of ${version} found nothing: ${run.stderr.slice(0, 400)}`);
    return outcomeOf(version, found, new Set(fails.flatMap(({ ids }) => ids)));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Those of one scenario, whose name stands before the time: `server-ping-2026-…`. */
function checksIn(out: string, directory: string): readonly Check[] {
  const [, scenario = directory] = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(directory) ?? [];
  const checks: readonly Check[] = JSON.parse(readFileSync(join(out, directory, "checks.json"), "utf8"));
  return checks.map((check) => ({ ...check, id: check.id === scenario ? scenario : `${scenario}/${check.id}` }));
}

/** What fails must be expected, and what is expected must fail: else the list is out of date. */
export function outcomeOf(version: string, found: readonly Check[], expected: ReadonlySet<string>): Outcome {
  const failed = found.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  const ids = new Set(failed.map(({ id }) => id));
  return {
    passed: found.filter(({ status }) => status === "SUCCESS").length,
    explained: failed.filter(({ id }) => expected.has(id)).length,
    strange: [
      ...failed
        .filter(({ id }) => !expected.has(id))
        .map(({ id, status, errorMessage = "" }) => `${version} ${id}: ${status} ${errorMessage.slice(0, 300)}`),
      ...[...expected]
        .filter((id) => !ids.has(id))
        .map((id) => `${version} ${id}: fails no more; take it out of expected.json`),
    ],
  };
}
