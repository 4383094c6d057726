import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A directory that is gone after the test. */
export function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), "troupe-runtime-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
