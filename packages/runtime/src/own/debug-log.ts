import { appendFileSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** What happened in a session, for somebody who looks for the reason of something. */
export interface DebugLog {
  /** One line; nothing where it cannot be written. */
  note(words: string): void;
}

/** A log beyond this says no more. */
const maxCharacters = 8 << 20;

/** The log of a session, which `latest` names from now on. It is for this user alone. */
export function openDebugLog(directory: string, sessionId: string, now: () => Date): DebugLog {
  const name = `${sessionId}.txt`;
  let room = maxCharacters;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    appendFileSync(join(directory, name), "", { mode: 0o600 });
    rmSync(join(directory, "latest"), { force: true });
    symlinkSync(name, join(directory, "latest"));
  } catch {
    // The session works without it, and without the link, which another session may just have laid.
  }
  return {
    note(words) {
      const line = `${now().toISOString()} ${words.replace(/\s+/g, " ").slice(0, 2_000)}\n`;
      room -= line.length;
      if (room < 0) return;
      try {
        appendFileSync(join(directory, name), line, { mode: 0o600 });
      } catch {
        room = 0;
      }
    },
  };
}
