import { randomBytes } from "node:crypto";
import { makeRunId, messageOf, type SubagentMeta } from "@troupe/protocol";
import { firstOf } from "@troupe/store";
import { openAgent } from "../agent/open.ts";
import type { SessionContext } from "../agent/session-context.ts";
import { type Job, type JobEnd, type JobUsage, noUsage, type Tidied } from "../jobs/job.ts";
import type { ForkPoint, Terminal } from "../journal/entry.ts";
import { linkOutput } from "../journal/files.ts";
import { directive } from "../journal/fork.ts";
import type { Abort } from "../loop/abort.ts";
import { type Block, sentTokens } from "../model/model.ts";
import { type Command, type CommandDraft, textBlocks } from "../queue.ts";
import type { Workspace } from "../workspace.ts";
import type { Inherited } from "./inherit.ts";
import { leavePlace } from "./left-place.ts";
import { remember } from "./remember.ts";
import { endOf, type Note, notesBeside, tellingOf } from "./run-facts.ts";

/** An agent to work on a task; everything about who it is has been decided. */
export interface Working {
  readonly inherited: Inherited;
  readonly abort: Abort;
  /** Where it leaves its parent's conversation; a fork is its parent up to there. */
  readonly fork?: ForkPoint | undefined;
  readonly meta: Partial<SubagentMeta> & { readonly description: string };
  /** It goes on from its transcript. */
  readonly isResumed?: boolean | undefined;
  /** Earlier usage, as far as it is known. */
  readonly before?: JobUsage | undefined;
}

/** A task, the agent it is for, and whether that agent waits. */
export interface Work extends Working {
  /** Absent where it stands in the journal already, and the run goes on. */
  readonly prompt: string | undefined;
  /** The number of this run. */
  readonly run: number;
  /** The agent that hears of its end. */
  readonly listener: string | undefined;
  readonly call?: string | undefined;
  readonly isBackground: boolean;
  readonly isOneShot?: boolean | undefined;
  /** A place of its own, which is given back when it ends. */
  readonly workspace?: Workspace | undefined;
  readonly waiter: AbortSignal;
}

/** Sets an agent to work, as a job. Throws when the session ends; nothing is left open then. */
export function work({
  prompt,
  run,
  listener,
  call,
  isBackground,
  isOneShot,
  workspace,
  waiter,
  ...working
}: Work): Job {
  const { inherited, meta } = working;
  const { session, transcript } = inherited.agent;
  const { description, name } = meta;
  const agent = openWorking(working, session.onAgentEvent);
  const { id } = agent;
  const tidy = async (isToldLater: boolean, signal: AbortSignal): Promise<Tidied> => {
    await agent.close(signal);
    return workspace ? leavePlace(workspace, agent.note, isToldLater) : {};
  };
  try {
    return session.jobs.start({
      id,
      description,
      call,
      agent: listener,
      isBackground,
      isOneShot,
      waiter,
      tidy,
      left: () => agent.note({ requestShape: "background" }),
      telling: tellingOf(id, run, agent.note),
      ...(name !== undefined && { name }),
      outputFile: linkOutput(id, transcript, { ...session, temporary: session.machine.temporary }),
      run: (until) => agent.run(prompt, until, endOf(id, run)),
      output: agent.said,
    });
  } catch (error) {
    void tidy(false, waiter);
    throw error;
  }
}

/** An agent below another: its transcript is its own, and so is what it has read. */
export interface WorkingAgent {
  readonly id: string;
  /** Works on the task to its end; without one, on what it had begun. The task may have an id. */
  run(task: string | undefined, signal: AbortSignal, taskId?: string): Promise<JobEnd>;
  /** The text it has said so far. */
  said(): string;
  /** Ends what it started, hooks and servers too; the signal ends what it still remembers. */
  close(signal: AbortSignal): Promise<void>;
  /** Says more of it beside its transcript. */
  readonly note: Note;
}

/** An id that no other agent has, with the name by which it can be addressed. */
export const newAgentId = (name?: string): string => makeRunId(randomBytes(8).toString("hex"), name);

/** Opens its conversation and says beside it what it is. */
export function openWorking(
  { inherited, abort, fork, meta: facts, isResumed = false, before = noUsage }: Working,
  onEvent: SessionContext["onAgentEvent"],
): WorkingAgent {
  const { agent, type, system, maxTurns, memory, servers } = inherited;
  const { session, hooks, id = "" } = agent;
  const { machine, project, sessionId, queue, jobs } = session;
  const { root, now } = machine;
  const { description } = facts;
  const { finished: _, ...unfinished } = facts;
  const note = notesBeside({ root, cwd: project, sessionId, agentId: id }, { ...unfinished, agentType: type });
  const opened = openAgent(agent, {
    system,
    ...(maxTurns !== undefined && { limits: { maxTurns } }),
    ...(fork && { fork }),
  });
  // Behind its transcript: what has facts has a place to go on from.
  note({});

  /** Of whose end it has been told, or needs not be. */
  const heard = new Set<Job>();

  return { id, run, said: () => opened.journal.state().answer?.text ?? "", close, note };

  async function run(task: string | undefined, signal: AbortSignal, taskId?: string): Promise<JobEnd> {
    const began = now().getTime();
    const either = AbortSignal.any([signal, abort.signal]);
    const tell = (content: readonly Block[], origin: CommandDraft["origin"], as = {}) =>
      void queue.enqueue({ mode: "prompt", origin, content, agent: id, ...as });
    if (!isResumed)
      for (const text of await started(either)) tell(textBlocks(text), { kind: "hook", event: "SubagentStart" });
    if (task !== undefined)
      tell(fork ? directive(task) : textBlocks(task), { kind: "caller" }, taskId === undefined ? {} : { id: taskId });
    // A run that had nothing left to do ends as it had ended.
    let terminal = task === undefined ? opened.journal.state().ended : undefined;
    let { toolUses, subagentTokens: tokens } = before;
    do {
      const events = opened.run(either);
      for (let step = await events.next(); ; step = await events.next()) {
        if (step.done) {
          terminal = step.value ?? terminal;
          break;
        }
        onEvent({ id, description, call: facts.toolUseId }, step.value);
        if (step.value.kind !== "entry") continue;
        const { entry } = step.value;
        if (entry.kind === "result") toolUses++;
        if (entry.kind === "answered") tokens += sentTokens(entry.answer.usage) + entry.answer.usage.output;
      }
    } while (await hasMore(either));
    const durationMs = before.durationMs + now().getTime() - began;
    return { ...outcomeOf(terminal), usage: { subagentTokens: tokens, toolUses, durationMs } };
  }

  /**
   * Whether there is something to hear: what waits, or the end of an agent that it started itself
   * and that still works.
   */
  async function hasMore(until: AbortSignal): Promise<boolean> {
    const isHeard = ({ mode, agent }: Command) => agent === id && (mode === "prompt" || mode === "task-notification");
    while (!until.aborted) {
      if (queue.waiting(id).some(isHeard) || opened.journal.state().waiting.length > 0) return true;
      const own = jobs.all().filter((job) => job.agent === id && !heard.has(job));
      if (own.length === 0) return false;
      const ends = own.map((job) => () => job.settled.then(() => void heard.add(job)));
      await firstOf(until, (either) => queue.arrival(isHeard, either), ...ends).catch(() => {});
    }
    return false;
  }

  async function started(until: AbortSignal): Promise<readonly string[]> {
    const { context, messages, errors } = await hooks.fire("SubagentStart", {}, until);
    for (const message of [...messages, ...errors]) session.show(message);
    return context;
  }

  async function close(signal: AbortSignal): Promise<void> {
    const journal = opened.journal.state();
    if (memory !== undefined && session.gates.remembersAtEnd && journal.ended?.isOk)
      await remember(memory, agent, journal, signal).catch((error: unknown) => session.show(messageOf(error)));
    await opened.end();
    await hooks.close();
    await servers?.close();
    note({ finished: true });
  }
}

/**
 * The end of a job: a stopped agent is killed, one that ran out of turns still reports, and a
 * failure has its message.
 */
export function outcomeOf(terminal: Terminal | undefined): Omit<JobEnd, "usage"> {
  if (!terminal) return { status: "failed", text: "", failure: "it had nothing to do" };
  const { text } = terminal;
  if (terminal.isOk) return { status: "completed", text };
  const { why, failure, reason } = terminal;
  if (why === "aborted") return { status: "killed", text, failure: `it was stopped (${reason})` };
  if (why === "max_turns")
    return { status: "completed", text: `${text}\n\n(The agent was stopped: it had used all its turns.)`.trim() };
  return { status: "failed", text, failure: failure?.message ?? why };
}
