import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { agentOutput, escapeProjectPath, layoutOf, readJson, SubagentMeta } from "@troupe/protocol";
import { replaceFile } from "../whole-file.ts";

/** The session or agent that a transcript belongs to. */
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

/** An agent below the main conversation. */
export type AgentOwner = TranscriptOwner & { readonly agentId: string };

const metaPath = ({ root, cwd, sessionId, agentId }: AgentOwner): string =>
  layoutOf(root).subagentMeta(escapeProjectPath(cwd), sessionId, agentId);

/** Writes the metadata beside a subagent's transcript; a reader sees the old words or the new. */
export function writeSubagentMeta(owner: AgentOwner, meta: SubagentMeta): void {
  const path = metaPath(owner);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Not flushed, like the transcript it lies beside.
  replaceFile(path, JSON.stringify(meta), { isDurable: false, mode: 0o644 });
}

/** The metadata beside a subagent's transcript; undefined where there is none that can be read. */
export function readSubagentMeta(owner: AgentOwner): SubagentMeta | undefined {
  if (!/^a[\w-]*$/.test(owner.agentId)) return undefined;
  try {
    return SubagentMeta.safeParse(readJson(readFileSync(metaPath(owner), "utf8")).value).data;
  } catch {
    return undefined;
  }
}

/** The ids of the subagents of a session that have metadata. */
export function subagentsOf(session: TranscriptOwner): readonly string[] {
  try {
    const names = readdirSync(dirname(metaPath({ ...session, agentId: "a" }))).sort();
    return names.flatMap((name) => /^agent-(a[\w-]*)\.meta\.json$/.exec(name)?.[1] ?? []);
  } catch {
    return [];
  }
}

/** The session that the outputs belong to, and the system's temporary directory. */
export interface OutputOwner {
  readonly project: string;
  readonly sessionId: string;
  readonly uid: number;
  readonly temporary: string;
}

/** Where the transcripts of a session's agents lie, and the links to them. */
export const agentFiles = (owner: TranscriptOwner & Omit<OutputOwner, "project">): readonly string[] => [
  dirname(transcriptPath({ ...owner, agentId: "a" })),
  dirname(outputPath("a", { ...owner, project: owner.cwd })),
];

/**
 * Makes the output of an agent readable where the reference client has it: a link to its
 * transcript. Anybody may write to the system's temporary directory, so a part of it that is not
 * this user's alone is left alone, and the transcript itself is the output then.
 */
export function linkOutput(id: string, transcript: string, owner: OutputOwner): string {
  const link = outputPath(id, owner);
  const own = join(owner.temporary, `claude-${owner.uid}`);
  try {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(own);
    if (!lstatSync(own).isDirectory() || uid !== owner.uid || (mode & 0o022) !== 0) return transcript;
    mkdirSync(dirname(link), { recursive: true, mode: 0o700 });
    rmSync(link, { force: true });
    symlinkSync(transcript, link);
    return link;
  } catch {
    return transcript;
  }
}

const outputPath = (id: string, { temporary, uid, project, sessionId }: OutputOwner): string =>
  agentOutput(temporary, uid, escapeProjectPath(project), sessionId, id);
