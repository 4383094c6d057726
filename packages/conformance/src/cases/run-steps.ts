import { mkdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import type { CheckContext } from "../check.ts";
import { defaultParams, identityOf, makeTasks, makeTeam, uuidFrom } from "../checks/teams.ts";
import { checkFailure, untestable } from "../fault.ts";
import { chanceFrom } from "../run/chance.ts";
import type { Params } from "../target.ts";
import { assertDirectory, assertDisk } from "./disk.ts";
import { write, writeFoundTeam } from "./found-team.ts";
import { differences, partAt } from "./match.ts";
import { changedSince, remember } from "./memory.ts";
import type { Case, Step } from "./step.ts";

type Words = Map<string, unknown>;

/** Plays a data case. */
export async function runCase({ given = {}, steps }: Case, context: CheckContext): Promise<undefined> {
  const { team: how = "made", members = [], tasks = 0 } = given;
  const identity = identityOf(context);
  if (how === "found") writeFoundTeam(context.root, context.revision, identity, given);
  if (how === "made") {
    await makeTeam(context, members);
    await makeTasks(context, identity.team, Number(tasks));
  }
  const words: Words = new Map<string, unknown>([...Object.entries(identity), ["root", context.root]]);
  words.set("other", uuidFrom(chanceFrom(context.seed + 1)));
  await runSteps(steps, context, words);
}

async function runSteps(steps: readonly Step[], context: CheckContext, words: Words): Promise<void> {
  for (const raw of steps) {
    if (raw.in && raw.in !== context.revision) continue;
    if (JSON.stringify(raw).includes("$home")) words.set("home", await context.home());
    if (raw.repeat !== undefined) {
      for (let i = 1; i <= raw.repeat; i += 1)
        await runSteps(raw.steps ?? [], context, new Map([...words, ["i", i], ["number", String(i)]]));
      continue;
    }
    await runStep(filled(raw, words) as Step, context, words);
  }
}

async function runStep(step: Step, context: CheckContext, words: Words): Promise<void> {
  const at = (path: string) => resolve(context.root, path);
  if (step.call !== undefined) await callStep(step, step.call, context, words);
  if (step.disk !== undefined) assertDisk(at(step.disk), step);
  if (step.directory !== undefined) assertDirectory(at(step.directory), step);
  if (step.write !== undefined) write(at(step.write), step.bytes ?? step.json);
  if (step.remove !== undefined) rmSync(at(step.remove), { recursive: true });
  if (step.makeDirectory !== undefined) mkdirSync(at(step.makeDirectory), { recursive: true });
  if (step.remember) words.set("memory", remember(context.root));
  if (step.unchanged) assertUnchanged(step, context, words);
  if (step.restart) await context.restart();
}

async function callStep(step: Step, method: string, context: CheckContext, words: Words): Promise<void> {
  const team = ["validate", "team.list", "reset"].includes(method) ? {} : { team: words.get("team") };
  const { document, ...said } = step.with ?? {};
  const text = document === undefined ? {} : { text: JSON.stringify(document) };
  const params: Params = { ...defaultParams[method], ...team, ...text, ...said };
  const reply = await context.call(method, params);
  const called = { method, params };
  if (step.orFails && reply.outcome === "fail" && reply.error.name !== "absent") return;
  if (step.error !== undefined) return assertError(step.error, reply, called);
  if (reply.outcome !== "ok") {
    throw checkFailure(`${method} did not succeed`, { expected: "a result", actual: reply, called });
  }
  const found = step.returns === undefined ? [] : differences(step.returns, reply.result);
  if (found.length > 0) {
    throw checkFailure(`what ${method} returned: ${found.join("; ")}`, {
      expected: step.returns,
      actual: reply.result,
      called,
    });
  }
  for (const [name, pointer] of Object.entries(step.save ?? {})) {
    const part = partAt(reply.result, pointer);
    if (part === undefined) throw untestable(`${method} returned no ${pointer}, without which this cannot be asked`);
    words.set(name, part);
  }
}

function assertError(
  expected: string | readonly string[],
  reply: Awaited<ReturnType<CheckContext["call"]>>,
  called: object,
): void {
  const name = reply.outcome === "fail" ? reply.error.name : undefined;
  const isNamed = name !== undefined && name !== "absent";
  if (isNamed && (name === "unnamed" || [expected].flat().some((one) => one === "any" || one === name))) return;
  const method = (called as { method: string }).method;
  const wanted = [expected].flat().join(" or ");
  throw checkFailure(`${method} did not fail with ${wanted}`, { expected, actual: reply, called });
}

function assertUnchanged({ unchanged = [] }: Step, context: CheckContext, words: Words): void {
  const changed = changedSince(words.get("memory") as ReturnType<typeof remember>, context.root, unchanged);
  if (changed.length === 0) return;
  throw checkFailure(`what must stay as it was has changed: ${changed.map(({ path }) => path).join(", ")}`, {
    changed,
  });
}

/** Replaces `$name` in every text; a text that is only one name becomes the value it names. */
function filled(value: unknown, words: Words): unknown {
  if (typeof value === "string") {
    const whole = /^\$([a-z]\w*)$/.exec(value)?.[1];
    if (whole !== undefined && words.has(whole)) return words.get(whole);
    return value.replace(/\$([a-z]\w*)/g, (text, name: string) => (words.has(name) ? String(words.get(name)) : text));
  }
  if (Array.isArray(value)) return value.map((inner) => filled(inner, words));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [String(filled(key, words)), filled(inner, words)]),
  );
}
