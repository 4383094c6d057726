import { lstatSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { agentOutput, escapeProjectPath } from "@troupe/protocol";
import type { Machine } from "../agent/machine.ts";
import type { SessionContext } from "../agent/session-context.ts";

/** The owner of the outputs, and its part of the system's temporary directory. */
type OutputPlace = Pick<SessionContext, "project" | "sessionId" | "uid"> & Pick<Machine, "temporary">;

/** Where the outputs of a session's agents lie. */
export const outputDirectory = (place: OutputPlace): string => dirname(placeOf("a", place));

/**
 * Makes the output of an agent readable where the reference client has it: a link to its
 * transcript. Anybody may write to the system's temporary directory, so a part of it that is not
 * this user's alone is left alone, and the transcript itself is the output then.
 */
export function linkOutput(id: string, transcript: string, place: OutputPlace): string {
  const link = placeOf(id, place);
  const own = join(place.temporary, `claude-${place.uid}`);
  try {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(own);
    if (!lstatSync(own).isDirectory() || uid !== place.uid || (mode & 0o022) !== 0) return transcript;
    mkdirSync(dirname(link), { recursive: true, mode: 0o700 });
    rmSync(link, { force: true });
    symlinkSync(transcript, link);
    return link;
  } catch {
    return transcript;
  }
}

const placeOf = (id: string, { temporary, uid, project, sessionId }: OutputPlace): string =>
  agentOutput(temporary, uid, escapeProjectPath(project), sessionId, id);
