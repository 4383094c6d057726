import { realpathSync } from "node:fs";
import type { Revision } from "@troupe/protocol";
import { type FixedAgentFile, fixAgentDefinition, lintAgentDefinition } from "@troupe/protocol/agent";
import { publish, readNamedFile, withLock } from "@troupe/store/files";

/**
 * Fixes a file if its text is still the one that was read; a link stays, and its target is written.
 */
export async function fixFile(file: string, text: string, revision: Revision): Promise<FixedAgentFile> {
  const fixed = fixedTextOf(text, revision);
  if (fixed.fixes.length === 0) return fixed;
  const target = realpathSync(file);
  return withLock(target, (held) => {
    // Writing would lose bytes that are not UTF-8, and changes made since the file was read.
    if (!Buffer.from(text).equals(readNamedFile(target))) return { text, fixes: [] };
    publish(held, target, fixed.text, true);
    return fixed;
  });
}

/** Counts the findings that a fix would remove. */
export function fixableIn(path: string, text: string, revision: Revision): number {
  const fixed = fixedTextOf(text, revision);
  const count = (one: string) => lintAgentDefinition({ path, text: one, revision }).length;
  return fixed.fixes.length === 0 ? 0 : count(text) - count(fixed.text);
}

const fixedTextOf = (text: string, revision: Revision): FixedAgentFile =>
  // Bytes that were lost in decoding cannot be written back.
  text.includes("\uFFFD") ? { text, fixes: [] } : fixAgentDefinition(text, revision);
