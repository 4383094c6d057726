import { lstatSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { agentOutput, escapeProjectPath } from "@troupe/protocol";
import type { Household } from "../worker.ts";

export interface OutputDeps {
  /** The system's temporary directory, and whose part of it. */
  readonly temporary: string;
  readonly uid: number;
}

/** Where the outputs of a session's agents lie. */
export const outputDirectory = (household: Pick<Household, "project" | "sessionId">, deps: OutputDeps): string =>
  dirname(placeOf("a", household, deps));

/**
 * Makes the output of an agent readable where the reference client has it: a link to its transcript. Anybody may write to the system's temporary
 * directory, so a part of it that is not this user's alone is left alone, and the transcript itself is the output then.
 */
export function linkOutput(
  id: string,
  transcript: string,
  household: Pick<Household, "project" | "sessionId">,
  deps: OutputDeps,
): string {
  const link = placeOf(id, household, deps);
  const own = join(deps.temporary, `claude-${deps.uid}`);
  try {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(own);
    if (!lstatSync(own).isDirectory() || uid !== deps.uid || (mode & 0o022) !== 0) return transcript;
    mkdirSync(dirname(link), { recursive: true, mode: 0o700 });
    rmSync(link, { force: true });
    symlinkSync(transcript, link);
    return link;
  } catch {
    return transcript;
  }
}

const placeOf = (
  id: string,
  { project, sessionId }: Pick<Household, "project" | "sessionId">,
  deps: OutputDeps,
): string => agentOutput(deps.temporary, deps.uid, escapeProjectPath(project), sessionId, id);
