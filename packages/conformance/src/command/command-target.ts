import type { ChildProcess } from "node:child_process";
import { symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { adapterTarget } from "../adapter/adapter-target.ts";
import { targetFault, untestable } from "../fault.ts";
import type { Isolation } from "../run/isolation.ts";
import { signalGroup } from "../run/signal-group.ts";
import { openSessions } from "../session/sessions.ts";
import type { CallRecord, Params, Proc, ProcOptions, Reply, Target } from "../target.ts";
import { type Spoken, speak } from "./phrase.ts";
import { before, resultOf } from "./results.ts";
import { type Ended, runCommand } from "./run-command.ts";
import { readTargetFile, type TargetFile } from "./target-file.ts";

export interface CommandTargetDeps {
  /** The path of a `target.yaml`. */
  readonly file: string;
  readonly text: string;
  readonly isolation: Isolation;
}

/**
 * A target as its `target.yaml` describes it: driven by its own commands, what they did being read
 * from disk, or by its adapter; and by the sessions that it starts.
 */
export function commandTarget({ file, text, isolation }: CommandTargetDeps): Target {
  const folder = dirname(resolve(file));
  const described = readTargetFile(text, folder);
  const { name, version, language, homepage, issues, revisions, levels, features, quirks, commands } = described;
  const { session, adapter, homeEnv, env } = described;
  const sessions = session && openSessions({ file: session, homeEnv, env, isolation });
  if (adapter) {
    const spoken = adapterTarget({ argv: adapter, cwd: folder, isolation });
    return {
      ...spoken,
      label: file,
      ...(sessions && { sessions }),
      async declare(options) {
        const hello = await spoken.declare(options);
        return { ...hello, levels: [...new Set([...hello.levels, ...levels])] };
      },
    };
  }
  return {
    kind: "command",
    ...(sessions && { sessions }),
    label: file,
    declare: async () => ({
      name,
      version,
      ...(language && { language }),
      ...(homepage && { homepage }),
      ...(issues && { issues }),
      revisions,
      levels,
      methods: [...commands.keys()],
      features,
      quirks,
    }),
    start: async (options) => open(described, isolation, options),
  };
}

function open(file: TargetFile, isolation: Isolation, options: ProcOptions): Proc {
  const { root, home } = options;
  if (file.homeEnv.includes("HOME")) symlinkSync(root, join(home, ".claude"));
  const named = Object.fromEntries(file.homeEnv.filter((name) => name !== "HOME").map((name) => [name, root]));
  const env = { ...isolation.environment(options), ...named, ...file.env, ...options.env };
  const sessions = new Set<unknown>();
  let child: ChildProcess | undefined;
  let isKilled = false;
  let turn: Promise<unknown> = Promise.resolve();

  async function callNow(method: string, params: Params): Promise<Reply> {
    if (method === "team.create") assertTold(file, sessions, params);
    const spoken = speak(file.commands.get(method) ?? [], method, params, {
      revision: options.revision,
      suite: process.pid,
    });
    if (!spoken)
      throw untestable(`target.yaml has no command that says ${method} ${JSON.stringify(params).slice(0, 300)}`);
    if (!canBeSaid(spoken)) {
      return { outcome: "fail", error: { name: "unnamed", message: "no command line can say this" } };
    }
    const record: CallRecord = {
      proc: options.index,
      op: method,
      args: params,
      call: performance.now(),
      outcome: "info",
    };
    options.record(record);
    const then = before(root, params);
    const argv = isolation.wrap(spoken.argv);
    const running = (started: ChildProcess) => {
      child = started;
    };
    const ended = await runCommand({ argv, stdin: spoken.stdin, cwd: home, env, limitMs: options.limitMs, running });
    child = undefined;
    if (isKilled) return { outcome: "info" };
    record.ret = performance.now();
    const reply = replyOf(
      ended,
      method,
      (stdout) => resultOf(method, params, stdout, file.output.get(method), root, then),
      file,
    );
    record.outcome = reply.outcome;
    record.reply = reply.outcome === "ok" ? reply.result : reply.outcome === "fail" ? reply.error : undefined;
    return reply;
  }

  return {
    index: options.index,
    home,
    pid: () => child?.pid,
    call(method, params) {
      const answer = turn.then(() => (isKilled ? ({ outcome: "info" } as const) : callNow(method, params)));
      turn = answer.catch(() => undefined);
      return answer;
    },
    async kill() {
      isKilled = true;
      if (child) signalGroup(child, "SIGKILL");
      await turn;
    },
    pause: () => child && signalGroup(child, "SIGSTOP"),
    resume: () => child && signalGroup(child, "SIGCONT"),
    end: async () => void (await turn),
  };
}

/** Half a character comes through to no program, and a NUL not in its words. */
const canBeSaid = ({ argv, stdin }: Spoken): boolean =>
  [...argv, stdin].every((text) => text.isWellFormed()) && !argv.some((word) => word.includes("\0"));

/** A program that cannot be told which session it is cannot be asked what a session does twice. */
function assertTold({ commands }: TargetFile, sessions: Set<unknown>, { sessionId }: Params): void {
  const isSaid = JSON.stringify(commands.get("team.create") ?? []).includes("{sessionId}");
  if (!isSaid && sessions.has(sessionId)) throw untestable("the commands cannot say which session makes a team");
  sessions.add(sessionId);
}

function replyOf(ended: Ended, method: string, result: (stdout: string) => object, file: TargetFile): Reply {
  const { code, signal, stdout, stderr, isLate } = ended;
  const evidence = { stderr: stderr.slice(-2_000), actual: stdout.slice(0, 2_000) };
  if (isLate) throw targetFault(`the command for ${method} did not end in time`, evidence);
  if (signal !== null) throw targetFault(`the command for ${method} ended by ${signal}`, evidence);
  const said = [...file.errors].find(([, pattern]) => pattern.test(stdout) || pattern.test(stderr));
  const name = file.exits.get(code ?? -1) ?? said?.[0] ?? "unnamed";
  if (name === "none") return { outcome: "ok", result: { claimed: false, reason: "none" } };
  if (method === "validate" && name === "invalid") {
    return { outcome: "ok", result: { valid: false, problems: [{ code: "invalid" }] } };
  }
  if (name === "ok") return { outcome: "ok", result: { ...result(stdout) } };
  return {
    outcome: "fail",
    error: { name, message: (stderr || stdout).trim().slice(0, 2_000) || `exit code ${code}` },
  };
}
