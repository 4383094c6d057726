import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import type { Check } from "../check.ts";
import { isFault } from "../fault.ts";
import { loadRequirements, type RequirementSet, type Revision } from "../requirement.ts";
import type { CheckResult, ReportHeader, ReportLine } from "../result.ts";
import type { Declaration, Resting, Target } from "../target.ts";
import { type BaselineEntry, compare } from "./baseline.ts";
import { seedOf } from "./chance.ts";
import type { Isolation } from "./isolation.ts";
import { judge } from "./judge.ts";
import { footerOf } from "./summary.ts";
import { findUnfit, measureSlowness } from "./surroundings.ts";

export interface SuiteDeps {
  readonly target: Target;
  readonly isolation: Isolation;
  readonly checks: readonly Check[];
  readonly revision: Revision;
  readonly seed: number;
  readonly form: "quick" | "full";
  readonly version: string;
  readonly baseline?: readonly BaselineEntry[];
  /** Only checks whose id, or one of whose clauses, begins with one of these. */
  readonly only?: readonly string[];
  /** The default time limit of a call on a quiet machine. */
  readonly callLimitMs?: number;
  /** How many times slower than a quiet one the machine is taken to be, at most. */
  readonly mostSlowness?: number;
  /** The directory for everything that a run writes; removed at the end. */
  readonly directory: string;
  readonly now: () => Date;
}

/**
 * Tests a target against one revision and yields line by line, so that no fault voids earlier
 * results.
 */
export async function* runSuite(deps: SuiteDeps): AsyncGenerator<ReportLine> {
  const { target, revision, seed, form, baseline = [], callLimitMs = 15_000, mostSlowness = 20, now } = deps;
  const begin = performance.now();
  const directory = mkdtempSync(join(deps.directory, "conformance-"));
  // The quick form spares a target its start wherever a check asks for no more than another root.
  const resting: Resting[] = [];
  try {
    const trial = join(directory, "trial");
    mkdirSync(trial);
    const unfit = findUnfit(trial);
    const slowness = Math.min(measureSlowness(trial), mostSlowness);
    const set = loadRequirements(revision);
    const hello = unfit.length > 0 ? undefined : await declare(deps, directory, slowness);
    const declaration = hello?.declaration;
    yield {
      kind: "header",
      format: 1,
      suite: { name: "@troupe/conformance", version: deps.version },
      mode: "run",
      form,
      revision,
      requirements: { sha256: set.sha256, count: set.rows.length },
      seed,
      ...(deps.only && { only: deps.only }),
      startedAt: now().toISOString(),
      host: hostOf(),
      slowness,
      // The model of a session is on loopback, which a cut network has not.
      network: target.sessions ? "shared" : deps.isolation.network,
      unfit,
      target: { kind: target.kind, label: target.label },
      ...(declaration && { declaration }),
    };

    const { isExpected, stale } = compare(baseline, revision, now().toISOString().slice(0, 10));
    const results: CheckResult[] = [];
    if (hello?.failure) {
      results.push(hello.failure);
      yield hello.failure;
    }
    const chosen = declaration ? deps.checks.filter((check) => isChosen(check, deps)) : [];
    const isQuick = form === "quick";
    const asked = { target, declaration: declaration as Declaration, revision, seed };
    const context = { ...asked, isQuick, slowness, callLimitMs, directory, ...(isQuick && { resting }) };
    for await (const found of inOrder(chosen, (check) => judge(check, set, context))) {
      const result = isExpected(found) ? { ...found, isExpected: true } : found;
      results.push(result);
      yield result;
    }
    const footer = footerOf({
      results,
      set,
      claimed: declaration?.levels ?? [],
      stale: declaration ? stale(results, new Set(deps.checks.map(({ id }) => id))) : [],
      isPart: deps.only !== undefined,
      unasked: unaskedIn(set, deps.checks),
      ms: performance.now() - begin,
    });
    yield unfit.length > 0 ? { ...footer, exitCode: 2 } : footer;
  } finally {
    await Promise.allSettled(resting.map((one) => one.kill()));
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The MUSTs that no check asks about, those apart that only a reviewer can judge. */
const unaskedIn = ({ rows }: RequirementSet, checks: readonly Check[]): readonly string[] =>
  rows
    .filter(({ obligation, codes }) => obligation === "MUST" && codes.some((code) => code !== "R"))
    .filter(({ id }) => !checks.some(({ requirements }) => requirements.includes(id)))
    .map(({ id }) => id);

export const hostOf = (): ReportHeader["host"] => ({
  platform: process.platform,
  node: process.version,
  cpus: cpus().length,
});

function isChosen({ id, requirements, isSlow }: Check, { form, only }: SuiteDeps): boolean {
  if (isSlow && form === "quick") return false;
  return !only || only.some((prefix) => [id, ...requirements].some((name) => name.startsWith(prefix)));
}

/**
 * Two light checks at a time, also beside one that waits for long; those of level 2 and above want
 * the machine for themselves. The results come in the order of the checks.
 */
async function* inOrder(checks: readonly Check[], run: (check: Check) => Promise<CheckResult>) {
  const isLight = (check: Check | undefined) => check?.level === "L0" || check?.level === "L1";
  const begun: Promise<CheckResult>[] = [];
  let [running, isOver] = [0, false];
  const begin = (): void => {
    for (let next = checks[begun.length]; next && !isOver; next = checks[begun.length]) {
      const isBeside = running === 1 && isLight(next) && isLight(checks[begun.length - 1]);
      if (running > 0 && !isBeside) return;
      running += 1;
      const ended = run(next).finally(() => {
        running -= 1;
        begin();
      });
      begun.push(ended);
    }
  };
  try {
    begin();
    for (const index of checks.keys()) yield await (begun[index] as Promise<CheckResult>);
  } finally {
    isOver = true;
  }
}

/** A target that cannot say what it is has failed, and nothing more can be asked. */
async function declare(
  { target, revision, seed }: SuiteDeps,
  directory: string,
  slowness: number,
): Promise<{ declaration?: Declaration; failure?: CheckResult }> {
  const id = "HELLO/a";
  const [root, home] = ["root", "home"].map((name) => join(directory, "hello", name)) as [string, string];
  for (const made of [root, join(home, "tmp")]) mkdirSync(made, { recursive: true });
  const begin = performance.now();
  const options = { index: 0, root, home, revision, seed: seedOf(seed, id), caseId: id, limitMs: 15_000 * slowness };
  try {
    return { declaration: await target.declare({ ...options, record: () => {} }) };
  } catch (error) {
    const failure: CheckResult = {
      kind: "check",
      check: id,
      title: "the target says what it is, and ends when it is asked to",
      requirements: [],
      obligation: "MUST",
      level: "L0",
      verdict: isFault(error) ? "fail" : "error",
      message: error instanceof Error ? error.message : String(error),
      ...(isFault(error) && { evidence: error.evidence }),
      ms: Math.round(performance.now() - begin),
      seed: options.seed,
    };
    return { failure };
  }
}
