import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { escapeProjectPath, layoutOf, readJson, SubagentMeta } from "@troupe/protocol";
import type { SessionContext } from "../agent/session-context.ts";
import { noticeOf } from "../jobs/background-task.ts";
import { writeSubagentMeta } from "../journal/place.ts";
import type { CommandDraft } from "../queue.ts";

/**
 * Notices about agents that were at work when an earlier process of the session ended; each is
 * given once.
 */
export function cutOffAgents(session: SessionContext): readonly CommandDraft[] {
  const { machine, project, sessionId, revision } = session;
  const { root } = machine;
  const directory = dirname(layoutOf(root).subagentMeta(escapeProjectPath(project), sessionId, "a"));
  return namesIn(directory).flatMap((name) => {
    const id = /^agent-(a[\w-]*)\.meta\.json$/.exec(name)?.[1];
    const meta = id && metaIn(join(directory, name));
    if (!meta || meta.finished !== undefined) return [];
    writeSubagentMeta({ root, cwd: project, sessionId, agentId: id }, { ...meta, finished: true });
    const summary = `Agent "${meta.description ?? meta.agentType}" was cut off when its process ended; to resume it, send a message to ${id}`;
    return [noticeOf({ taskId: id, status: "killed", summary }, { agent: undefined, revision })];
  });
}

/** Undefined for what cannot be read: it keeps no session from going on. */
function metaIn(path: string): SubagentMeta | undefined {
  try {
    return SubagentMeta.safeParse(readJson(readFileSync(path, "utf8")).value).data;
  } catch {
    return undefined;
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}
