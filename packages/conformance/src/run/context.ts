import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Check, CheckContext } from "../check.ts";
import { checkFailure } from "../fault.ts";
import type { Revision } from "../requirement.ts";
import type { RunningSession } from "../session/sessions.ts";
import type { CallRecord, Declaration, Params, Proc, ProcOptions, Resting, Target } from "../target.ts";
import { chanceFrom, seedOf } from "./chance.ts";
import { kept } from "./kept.ts";

export interface ContextDeps {
  readonly target: Target;
  readonly declaration: Declaration;
  readonly revision: Revision;
  readonly seed: number;
  readonly isQuick: boolean;
  readonly slowness: number;
  /** The time limit of a single call on a quiet machine. */
  readonly callLimitMs: number;
  /** The parent of the directories of checks. */
  readonly directory: string;
  /** Processes that earlier checks are done with; absent where every check begins with new ones. */
  readonly resting?: Resting[];
}

/** A context, and how it ends. */
export interface OpenContext extends CheckContext {
  /**
   * Lets processes rest for the next check where that is wanted; else ends the first one in order.
   */
  close(): Promise<void>;
  /** Kills what still runs and removes the files. */
  discard(): Promise<void>;
}

/** The context of one check: its own root, and the target's processes on it. */
export function openContext(check: Check, deps: ContextDeps): OpenContext {
  const { target, declaration, revision, isQuick, slowness, callLimitMs } = deps;
  const directory = mkdtempSync(join(deps.directory, "check-"));
  const [root, scratch, sessionHome] = ["root", "scratch", "home"].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  for (const made of [root, scratch, join(sessionHome, "tmp")]) mkdirSync(made, { recursive: true });
  const seed = seedOf(deps.seed, `${check.id} ${revision}`);
  const history: CallRecord[] = [];
  /** The processes in use, and whether their surroundings are the same for every check. */
  const running = new Map<Proc, boolean>();
  const sessions: RunningSession[] = [];
  let first: Promise<Proc> | undefined;
  let started = 0;

  async function begin(env?: Readonly<Record<string, string>>): Promise<Proc> {
    const index = started;
    started += 1;
    const limitMs = Math.max(callLimitMs, patienceOf(declaration)) * slowness;
    const home = mkdtempSync(join(deps.directory, "home-"));
    mkdirSync(join(home, "tmp"));
    const record = (call: CallRecord) => history.push(call);
    const options = { index, root, home, revision, seed, caseId: check.id, limitMs, record, ...(env && { env }) };
    const begun = (!env && (await resume(options))) || (await target.start(options));
    const proc: Proc = { ...begun, call: (method, params) => kept(begun.call(method, params)) };
    running.set(proc, env === undefined);
    return proc;
  }

  async function resume(options: ProcOptions): Promise<Proc | undefined> {
    const found = deps.resting?.pop();
    let proc: Proc | undefined;
    try {
      proc = await found?.begin(options);
      return proc;
    } finally {
      if (!proc) await found?.kill();
    }
  }

  const firstProc = () => {
    first ??= begin();
    return first;
  };

  async function succeed(method: string, params: Params, proc?: Proc) {
    const reply = proc ? await proc.call(method, params) : await context.call(method, params);
    if (reply.outcome === "ok") return reply.result;
    throw checkFailure(`${method} did not succeed`, {
      expected: "a result",
      actual: reply,
      call: { method, params },
    });
  }

  const context: OpenContext = {
    revision,
    declaration,
    root,
    scratch,
    seed,
    random: chanceFrom(seed),
    scaled: (ms) => Math.ceil(ms * slowness),
    isQuick,
    history,

    async start(count, env) {
      const begun = await Promise.allSettled(Array.from({ length: count }, () => begin(env)));
      return begun.map((one) => {
        if (one.status === "rejected") throw one.reason;
        return one.value;
      });
    },
    home: async () => (await firstProc()).home,
    // A check may go on with something else before it awaits an answer.
    call: (method, params) => kept(firstProc().then((proc) => proc.call(method, params))),
    ok: (method, params, proc) => kept(succeed(method, params, proc)),

    sessionHome,
    startSession(role, place) {
      if (!target.sessions) {
        const expected = "a session in target.yaml, with the command of a lead and of a teammate";
        throw checkFailure("it claims a level of sessions, and names no command that starts one", { expected });
      }
      const common = { index: started, root, home: sessionHome, revision, seed, caseId: check.id };
      const begun = target.sessions.start(role, { ...common, limitMs: callLimitMs, record: () => {}, ...place });
      sessions.push(begun);
      return begun;
    },

    async restart() {
      const ending = first;
      first = undefined;
      await (await ending)?.end();
    },

    async close() {
      if (!deps.resting) return context.restart();
      for (const [proc, isUsual] of running) {
        const rested = isUsual ? proc.rest?.() : undefined;
        if (!rested) continue;
        deps.resting.push(rested);
        running.delete(proc);
      }
    },

    async discard() {
      await Promise.allSettled([...running.keys(), ...sessions].map((one) => one.kill()));
      rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
    },
  };
  return context;
}

/**
 * A call may rightly take as long as the target says that it waits for a lock, and somewhat more.
 */
const patienceOf = ({ quirks: { waitMs = 0 } }: Declaration): number =>
  waitMs > 0 ? Math.min(waitMs, 60_000) + 10_000 : 0;
