import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Puts a whole new file in the place of an old one, with the old one's permissions: any reader sees the old or the new one. */
export function replaceFile(file: string, text: string, newMode = 0o600): void {
  mkdirSync(dirname(file), { recursive: true });
  const mode = (statSync(file, { throwIfNoEntry: false })?.mode ?? newMode) & 0o777;
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = openSync(temporary, "wx", mode);
    try {
      writeFileSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
