import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { assetJson } from "../assets.ts";
import { targetFault, untestable } from "../fault.ts";
import type { Isolation } from "../run/isolation.ts";
import {
  type CallRecord,
  type Declaration,
  errorCodes,
  type Params,
  type Proc,
  type ProcOptions,
  type Reply,
  type Target,
} from "../target.ts";
import { type LineProcess, startLineProcess } from "./line-process.ts";
import { openWire, type Wire } from "./wire.ts";

export interface AdapterTargetDeps {
  /** The command that speaks the adapter protocol on its standard input and output. */
  readonly argv: readonly string[];
  /** The directory that file names are relative to; each process of the target has its own. */
  readonly cwd: string;
  readonly isolation: Isolation;
}

/** A target that brings an adapter. */
export function adapterTarget({ argv, cwd, isolation }: AdapterTargetDeps): Target {
  const wire = openWire();
  const { name, version } = assetJson("package.json") as { name: string; version: string };
  const suite = { name, version };
  /** What is not claimed may be out of reach; known from the first hello on. */
  const claims = { level: false };
  const command = argv.map((word, index) => (index === 0 && !word.includes("/") ? word : placed(word, cwd)));

  async function open(options: ProcOptions): Promise<{ proc: Proc; hello: Declaration }> {
    const child = await startLineProcess({
      argv: isolation.wrap(command),
      cwd: options.home,
      env: isolation.environment(options),
    });
    const proc = speak(child, wire, options, claims);
    const params = {
      suite,
      protocol: [1],
      revision: options.revision,
      caseId: options.caseId,
    };
    try {
      const reply = await proc.call("hello", params);
      if (reply.outcome !== "ok") throw targetFault("hello was answered with an error", { actual: reply });
      const { protocol, ...said } = reply.result;
      if (protocol !== 1) throw targetFault(`it speaks adapter protocol ${String(protocol)}`, { expected: 1 });
      claims.level = (said["levels"] as Declaration["levels"]).length > 0;
      return { proc, hello: { methods: [], features: {}, quirks: {}, ...said } as unknown as Declaration };
    } catch (error) {
      await proc.kill();
      throw error;
    }
  }

  return {
    kind: "adapter",
    label: argv.join(" "),
    start: async (options) => (await open(options)).proc,
    async declare(options) {
      const { proc, hello } = await open(options);
      await proc.end();
      return hello;
    },
  };
}

const placed = (word: string, cwd: string): string => (existsSync(resolve(cwd, word)) ? resolve(cwd, word) : word);

function speak(child: LineProcess, wire: Wire, options: ProcOptions, claims: { readonly level: boolean }): Proc {
  let lastId = 0;
  let turn: Promise<unknown> = Promise.resolve();

  async function callNow(method: string, params: Params): Promise<Reply> {
    lastId += 1;
    const request = { jsonrpc: "2.0", id: lastId, method, params };
    const faults = wire.requestFaults(request);
    if (faults) throw new Error(`the suite would send a wrong ${method}: ${faults}`);
    const record: CallRecord = {
      proc: options.index,
      op: method,
      args: params,
      call: performance.now(),
      outcome: "info",
    };
    options.record(record);
    const line = await child.ask(JSON.stringify(request), options.limitMs);
    if (line === undefined) return { outcome: "info" };
    record.ret = performance.now();
    const reply = replyOf(line, request, wire);
    if (!claims.level && reply.outcome === "fail" && reply.error.name === "absent")
      throw untestable(`${method} cannot do this: ${reply.error.message}`);
    record.outcome = reply.outcome;
    record.reply = reply.outcome === "ok" ? reply.result : reply.outcome === "fail" ? reply.error : undefined;
    return reply;
  }

  return {
    index: options.index,
    home: options.home,
    pid: () => child.pid,
    call(method, params) {
      const answer = turn.then(() => callNow(method, params));
      turn = answer.catch(() => undefined);
      return answer;
    },
    kill: child.kill,
    pause: child.pause,
    resume: child.resume,
    rest: () =>
      child.isIdle()
        ? {
            kill: child.kill,
            async begin(next) {
              const proc = speak(child, wire, { ...next, home: options.home }, claims);
              const { outcome } = await proc.call("reset", { root: next.root });
              return outcome === "ok" ? proc : undefined;
            },
          }
        : undefined,
    async end() {
      await this.call("bye", {});
      const { code, isKilled } = await child.closed(options.limitMs);
      if (isKilled || code !== 0) throw targetFault("it did not end in order after bye", { expected: 0, actual: code });
    },
  };
}

function replyOf(line: string, request: { id: number; method: string }, wire: Wire): Reply {
  const broken = (why: string) =>
    targetFault(`${why} in the answer to ${request.method}`, { actual: line.slice(0, 2_000) });
  let message: { id: number; result?: Record<string, unknown>; error?: { code: number; message: string } };
  try {
    message = JSON.parse(line);
  } catch {
    throw broken("no JSON");
  }
  const faults = wire.responseFaults(message);
  if (faults) throw broken(faults);
  if (message.id !== request.id) throw broken(`id ${message.id} instead of ${request.id}`);
  if (message.error) {
    const name = wire.errorName(message.error.code);
    if (!name) throw broken(`the unknown error code ${message.error.code} (${message.error.message})`);
    return { outcome: "fail", error: { name, message: message.error.message } };
  }
  const result = message.result ?? {};
  const wrong = wire.resultFaults(request.method, result);
  if (wrong) throw broken(wrong);
  return claimOf(request.method, result);
}

/** A claim that did not succeed has two spellings on the wire and one in the suite. */
function claimOf(method: string, result: Record<string, unknown>): Reply {
  const { claimed, reason } = result;
  if (method !== "task.claim" || claimed !== false || reason === "none") return { outcome: "ok", result };
  const name = typeof reason === "string" && Object.hasOwn(errorCodes, reason) ? (reason as "conflict") : "conflict";
  return { outcome: "fail", error: { name, message: `not claimed: ${name}` } };
}
