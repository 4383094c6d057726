import { randomBytes } from "node:crypto";
import { makeRunId, type SubagentMeta } from "@troupe/protocol";
import type { Hooks } from "../hooks/hooks.ts";
import { type Job, type JobEnd, type JobUsage, noUsage } from "../jobs/jobs.ts";
import type { ForkPoint, Terminal } from "../journal/entry.ts";
import { transcriptPath, writeSubagentMeta } from "../journal/place.ts";
import type { Abort } from "../loop/abort.ts";
import type { RunEvent } from "../loop/run.ts";
import type { Tool } from "../loop/tool.ts";
import type { Mcp } from "../mcp/mcp.ts";
import type { Block } from "../model/model.ts";
import type { Permissions } from "../permissions/permissions.ts";
import { directive } from "../prompt/fork.ts";
import type { CacheKey } from "../prompt/frozen.ts";
import { type Command, type CommandDraft, textBlocks } from "../queue.ts";
import type { SeenFiles } from "../tools/seen-files.ts";
import { type Further, type Household, openWorker, type WorkerDeps } from "../worker.ts";

/** What an agent is started with; everything about who it is has been decided. */
export interface SubagentDeps {
  readonly household: Household;
  readonly id: string;
  readonly abort: Abort;
  readonly type: string;
  readonly cwd: string;
  readonly key: CacheKey;
  readonly permissions: Permissions;
  readonly hooks: Hooks;
  readonly seen: SeenFiles;
  /** Servers of its own, which end with it. */
  readonly mcp?: Mcp | undefined;
  readonly further: Further;
  readonly runForked: WorkerDeps["runForked"];
  readonly choose?: (tools: readonly Tool[]) => readonly Tool[];
  readonly system: () => Promise<readonly Block[]>;
  /** Where it leaves its parent's conversation; a fork is its parent up to there. */
  readonly fork?: ForkPoint | undefined;
  readonly maxTurns?: number | undefined;
  readonly meta: Partial<SubagentMeta>;
  /** It goes on from its transcript. */
  readonly isResumed?: boolean;
  /** What it took before that, as far as it is known. */
  readonly before?: JobUsage | undefined;
  /** Shown to whoever watches, as it happens. */
  readonly onEvent: (event: RunEvent) => void;
}

/** An agent below another: its transcript is its own, and so is what it has read. */
export interface Subagent {
  readonly transcript: string;
  /** Works on the task to its end. */
  run(task: string, signal: AbortSignal): Promise<JobEnd>;
  /** What it said up to now. */
  said(): string;
  /** Ends what it started, its hooks and servers with it. */
  close(): Promise<void>;
  /** Says more of it beside its transcript. */
  note(facts: Partial<SubagentMeta>): void;
}

/** An id that no other agent has, with the name by which it can be addressed. */
export const newAgentId = (name?: string): string => makeRunId(randomBytes(8).toString("hex"), name);

export function openSubagent(deps: SubagentDeps): Subagent {
  const { household, id, type, hooks, fork, maxTurns, mcp, onEvent } = deps;
  const { root, project, sessionId, queue, now, jobs } = household;
  const place = { root, cwd: project, sessionId, agentId: id };
  const transcript = transcriptPath(place);
  let meta: SubagentMeta = { ...deps.meta, agentType: type };
  delete meta["finished"];
  note({});
  const { cwd, key, permissions, seen, further, runForked, choose, system, abort } = deps;
  const worker = openWorker({
    ...{ household, id, transcript, cwd, key, permissions, hooks, seen, further, runForked, system },
    askUser: async () => undefined,
    stop: () => abort.abort("hook_stopped"),
    ...(choose && { choose }),
    ...(maxTurns !== undefined && { limits: { maxTurns } }),
    ...(fork && { fork }),
  });

  /** Of whose end it has been told, or needs not be. */
  const heard = new Set<Job>();

  return { transcript, run, said: () => worker.journal.state().answer?.text ?? "", close, note };

  function note(facts: Partial<SubagentMeta>): void {
    meta = { ...meta, ...facts, agentType: type };
    writeSubagentMeta(place, meta);
  }

  async function run(task: string, signal: AbortSignal): Promise<JobEnd> {
    const began = now().getTime();
    const either = AbortSignal.any([signal, abort.signal]);
    const tell = (content: readonly Block[], origin: CommandDraft["origin"]) =>
      void queue.enqueue({ mode: "prompt", origin, content, agent: id });
    if (!deps.isResumed)
      for (const text of await started(either)) tell(textBlocks(text), { kind: "hook", event: "SubagentStart" });
    tell(fork ? directive(task) : textBlocks(task), { kind: "caller" });
    let terminal: Terminal | undefined;
    let { toolUses, subagentTokens: tokens } = deps.before ?? noUsage;
    do {
      const events = worker.run(either);
      for (let step = await events.next(); ; step = await events.next()) {
        if (step.done) {
          terminal = step.value ?? terminal;
          break;
        }
        onEvent(step.value);
        if (step.value.kind !== "entry") continue;
        const { entry } = step.value;
        if (entry.kind === "result") toolUses++;
        if (entry.kind === "answered") tokens += Object.values(entry.answer.usage).reduce((sum, one) => sum + one, 0);
      }
    } while (await hasMore(either));
    const durationMs = (deps.before?.durationMs ?? 0) + now().getTime() - began;
    return { ...outcomeOf(terminal), usage: { subagentTokens: tokens, toolUses, durationMs } };
  }

  /** Whether there is something to hear: what waits, or the end of an agent that it started itself and that still works. */
  async function hasMore(until: AbortSignal): Promise<boolean> {
    const isHeard = ({ mode, agent }: Command) => agent === id && (mode === "prompt" || mode === "task-notification");
    while (!until.aborted) {
      if (queue.waiting(id).some(isHeard) || worker.journal.state().waiting.length > 0) return true;
      const own = jobs.all().filter((job) => job.agent === id && !heard.has(job));
      if (own.length === 0) return false;
      const over = new AbortController();
      const either = AbortSignal.any([until, over.signal]);
      await Promise.race([
        queue.arrival(isHeard, either),
        ...own.map((job) => job.settled.then(() => void heard.add(job))),
      ]).catch(() => {});
      over.abort();
    }
    return false;
  }

  async function started(until: AbortSignal): Promise<readonly string[]> {
    const { context, messages, errors } = await hooks.fire("SubagentStart", {}, until);
    for (const message of [...messages, ...errors]) household.show(message);
    return context;
  }

  async function close(): Promise<void> {
    await worker.end();
    await hooks.close();
    await mcp?.close();
    note({ finished: true });
  }
}

/** Who was stopped is killed, who ran out of turns has a report all the same, and what went wrong is said. */
function outcomeOf(terminal: Terminal | undefined): Omit<JobEnd, "usage"> {
  if (!terminal) return { status: "failed", text: "", failure: "it had nothing to do" };
  const { text } = terminal;
  if (terminal.isOk) return { status: "completed", text };
  const { why, failure, reason } = terminal;
  if (why === "aborted") return { status: "killed", text, failure: `it was ended (${reason})` };
  if (why === "max_turns")
    return { status: "completed", text: `${text}\n\n(It was ended after its last turn.)`.trim() };
  return { status: "failed", text, failure: failure?.message ?? why };
}
