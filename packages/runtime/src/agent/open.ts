import { messageOf } from "@troupe/protocol";
import { advisorOf } from "../hooks/advice.ts";
import { compactWithHooks } from "../hooks/compact.ts";
import type { HookReports } from "../hooks/report.ts";
import { resultWithHooks } from "../hooks/result.ts";
import { mayStopWithHooks } from "../hooks/stop.ts";
import { conversationOf } from "../journal/state.ts";
import { delegateReminder } from "../prompt/delegate.ts";
import type { Agent } from "./agent.ts";
import { type Conversation, type ConversationDeps, openConversation } from "./conversation.ts";
import { recallSeen } from "./seen-before.ts";

/** The beginning of an agent's conversation, apart from its identity. */
export type Beginning = Pick<
  ConversationDeps<Agent>,
  "system" | "journal" | "fork" | "limits" | "inputs" | "switchedTo"
>;

/** An agent of a session at work. */
export interface OpenAgent extends Omit<Conversation, "close"> {
  /** Ends what it started. */
  end(): Promise<void>;
}

/**
 * Opens the conversation of an agent: judged by its hooks and permissions, with its tools, in the
 * session's queue.
 */
export function openAgent(agent: Agent, { system, journal, fork, limits, inputs, switchedTo }: Beginning): OpenAgent {
  const { id, transcript, cwd, permissions, hooks, seen, shells, session, stop } = agent;
  const { machine, sessionId, gitBranch, model, lease, queue, show } = session;
  const { home, now, newId } = machine;
  const reports: HookReports = { show, stop };
  const advisor = advisorOf(hooks, reports);
  const compacting = compactWithHooks(hooks, reports);
  const unread = (error: unknown): undefined => {
    show(`The summary says nothing of the team, which could not be read: ${messageOf(error)}`);
  };
  const conversation = openConversation({
    transcript,
    model,
    get key() {
      return agent.key;
    },
    switchedTo,
    system,
    lease,
    queue,
    now,
    newId,
    agent,
    identity: { sessionId, cwd, ...(gitBranch ? { gitBranch } : {}) },
    tools: () => session.tools(agent),
    whyLacking: (name) => session.whyLacking?.(name, agent),
    judge: {
      before: (call, signal) => permissions.permit(call, advisor, signal),
      remark: () => {
        const isDelegating = id === undefined && permissions.mode() === "delegate";
        return isDelegating ? delegateReminder(session.membership()?.team.name) : undefined;
      },
      after: resultWithHooks(hooks, reports),
    },
    mayStop: mayStopWithHooks(hooks, reports, transcript),
    mayCompact: compacting.mayCompact,
    async compacted(trigger, summary, until) {
      const told = await compacting.compacted(trigger, summary, until);
      const standing = id === undefined ? await session.membership()?.standing().catch(unread) : undefined;
      return standing === undefined ? told : [...told, standing];
    },
    limits: { ...session.limits, ...limits },
    ...(id === undefined ? {} : { id }),
    ...(journal ? { journal } : {}),
    ...(fork ? { fork } : {}),
    ...(inputs ? { inputs } : {}),
  });
  // Its list of read files stands in its conversation alone; a fork has it from its parent.
  let isRecalled = fork !== undefined || !conversation.journal.state().past;
  return {
    ...conversation,
    async *run(signal) {
      if (!isRecalled) await recallSeen(seen, conversationOf(conversation.journal.state()), { cwd, home });
      isRecalled = true;
      const terminal = yield* conversation.run(signal);
      if (terminal?.isOk) session.jobs.dealtWith(id);
      return terminal;
    },
    async end() {
      await shells.close();
      conversation.close();
    },
  };
}
