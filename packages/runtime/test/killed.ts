import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/**
 * Keeps what stands on disk at this moment. What it returns puts that back, as if the process had
 * been killed then: nothing that was done afterwards happened, and nobody holds the session.
 */
export function killedHere(root: string): () => void {
  const copy = mkdtempSync(join(tmpdir(), "troupe-killed-"));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  cpSync(root, copy, { recursive: true });
  return () => {
    rmSync(root, { recursive: true });
    cpSync(copy, root, { recursive: true });
    for (const name of readdirSync(root, { recursive: true, encoding: "utf8" }))
      if (name.endsWith(".lease")) rmSync(join(root, name));
  };
}
