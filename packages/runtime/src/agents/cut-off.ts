import type { SessionContext } from "../agent/session-context.ts";
import { noticeOf } from "../jobs/background-task.ts";
import { readSubagentMeta, subagentsOf, writeSubagentMeta } from "../journal/files.ts";
import type { CommandDraft } from "../queue.ts";

/**
 * Notices about agents that were at work when an earlier process of the session ended; each is
 * given once.
 */
export function cutOffAgents(session: SessionContext): readonly CommandDraft[] {
  const { machine, project, sessionId, revision } = session;
  const owner = { root: machine.root, cwd: project, sessionId };
  return subagentsOf(owner).flatMap((agentId) => {
    const meta = readSubagentMeta({ ...owner, agentId });
    if (!meta || meta.finished !== undefined) return [];
    writeSubagentMeta({ ...owner, agentId }, { ...meta, finished: true });
    const summary = `Agent "${meta.description ?? meta.agentType}" was cut off when its process ended; to resume it, send a message to ${agentId}`;
    return [noticeOf({ taskId: agentId, status: "killed", summary }, { agent: undefined, revision })];
  });
}
