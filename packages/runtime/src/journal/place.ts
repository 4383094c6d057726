import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { escapeProjectPath, layoutOf, type SubagentMeta } from "@troupe/protocol";
import { replaceFile } from "../whole-file.ts";

/** Whose transcript it is. */
export interface TranscriptOwner {
  /** The directory that holds `projects/`; `~/.claude` of the reference client. */
  readonly root: string;
  /** The project's directory. */
  readonly cwd: string;
  readonly sessionId: string;
  /** The run's id of a subagent, whose transcript lies below that of its session. */
  readonly agentId?: string;
}

/** Where the reference client would keep it. */
export function transcriptPath({ root, cwd, sessionId, agentId }: TranscriptOwner): string {
  const layout = layoutOf(root);
  const project = escapeProjectPath(cwd);
  return agentId === undefined
    ? layout.transcript(project, sessionId)
    : layout.subagentTranscript(project, sessionId, agentId);
}

/** Writes the metadata beside a subagent's transcript; a reader sees the old words or the new. */
export function writeSubagentMeta(owner: TranscriptOwner & { readonly agentId: string }, meta: SubagentMeta): void {
  const path = layoutOf(owner.root).subagentMeta(escapeProjectPath(owner.cwd), owner.sessionId, owner.agentId);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Not flushed, like the transcript it lies beside.
  replaceFile(path, JSON.stringify(meta), { isDurable: false, mode: 0o644 });
}
