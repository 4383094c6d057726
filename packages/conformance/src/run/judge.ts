import type { Check, Verdict } from "../check.ts";
import { isFault } from "../fault.ts";
import type { Obligation, Requirement, RequirementSet } from "../requirement.ts";
import { levels } from "../requirement.ts";
import type { CheckResult } from "../result.ts";
import type { Declaration } from "../target.ts";
import { type ContextDeps, type OpenContext, openContext } from "./context.ts";
import { clip, snapshot } from "./evidence.ts";

/** The clauses of a check that bind the revision of a run. */
const bindingOf = (check: Check, { rows }: RequirementSet): readonly Requirement[] =>
  rows.filter(({ id }) => check.requirements.includes(id));

/** Why a check has nothing to ask this target; undefined when it has. */
function inapplicable(check: Check, { declaration, target }: ContextDeps, set: RequirementSet): string | undefined {
  const { revision } = set;
  if (!check.revisions.includes(revision) || bindingOf(check, set).length === 0) return `not a clause of ${revision}`;
  if (!declaration.revisions.includes(revision)) return `the target does not declare revision ${revision}`;
  const missing = check.needs.methods.filter((method) => !declaration.methods.includes(method));
  if (!claims(declaration, check) && missing.length > 0) {
    return `not declared: ${check.level}, or ${missing.join(", ")}`;
  }
  const { session } = check.needs;
  if (session && !target.sessions?.roles.includes(session)) {
    if (session === "screen") return "not declared: a command that starts a session at a screen";
    if (!claims(declaration, check)) return `not declared: ${check.level}, or a command that starts a ${session}`;
  }
  const features = (check.needs.features ?? []).filter((feature) => declaration.features[feature] !== true);
  return features.length > 0 ? `not declared: feature ${features.join(", ")}` : undefined;
}

/** Whether the target claims the level of this check, or a higher one. */
const claims = ({ levels: claimed }: Declaration, { level }: Check): boolean =>
  claimed.some((one) => levels.indexOf(one) >= levels.indexOf(level));

/** Runs one check and says how it ended; whatever goes wrong in the suite itself is an `error`. */
export async function judge(check: Check, set: RequirementSet, deps: ContextDeps): Promise<CheckResult> {
  const binding = bindingOf(check, set);
  const obligation = binding[0]?.obligation ?? "MAY";
  const begin = performance.now();
  let seed = 0;
  const result = (verdict: Verdict, rest: Pick<CheckResult, "message" | "evidence"> = {}): CheckResult => ({
    kind: "check",
    check: check.id,
    title: check.title,
    requirements: binding.map(({ id }) => id),
    obligation,
    level: check.level,
    verdict,
    ...rest,
    ms: Math.round(performance.now() - begin),
    seed,
  });

  const why = inapplicable(check, deps, set);
  if (why) return result("na", { message: why });
  let context: OpenContext | undefined;
  try {
    context = openContext(check, deps);
    seed = context.seed;
    const evidence = await check.run(context);
    await context.close();
    return result("pass", evidence ? { evidence: clip(evidence) as typeof evidence } : {});
  } catch (error) {
    return result(verdictOf(error, obligation, claims(deps.declaration, check)), proofOf(error, context));
  } finally {
    await context?.discard().catch(() => undefined);
  }
}

/** A target that does not claim the level is not blamed if its methods cannot express a check. */
function verdictOf(error: unknown, obligation: Obligation, isClaimed: boolean): Verdict {
  if (!isFault(error)) return "error";
  if (error.name === "Untestable") return isClaimed ? "untestable" : "na";
  return obligation === "MUST" ? "fail" : "warn";
}

function proofOf(error: unknown, context: OpenContext | undefined): Pick<CheckResult, "message" | "evidence"> {
  const message = error instanceof Error ? error.message : String(error);
  const own = isFault(error) ? error.evidence : { stack: error instanceof Error ? error.stack : undefined };
  const around = context && { calls: context.history, disk: snapshot(context.root) };
  return { message, evidence: clip({ ...own, ...around, ...own }) as Record<string, unknown> };
}
