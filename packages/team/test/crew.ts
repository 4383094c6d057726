import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { layoutOf, type Revision } from "@troupe/protocol";
import type { Team } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import { onTestFinished } from "vitest";
import { memory } from "../../../scripts/memory.ts";

/** A directory that is gone after the test. */
export function scratch(): string {
  const directory = mkdtempSync(join(memory, "troupe-team-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export interface Crew {
  readonly root: string;
  readonly team: Team;
  inboxOf(name: string): string;
  /** Entries of an inbox, each with its structured body, if it is one. */
  inboxIn(name: string): readonly Record<string, unknown>[];
}

/** A team in files: a lead, and teammates of these names. */
export async function crew(revision: Revision, ...names: readonly string[]): Promise<Crew> {
  const root = scratch();
  const at = { createdAt: 1_770_000_000_000, cwd: root };
  const team = await openFileStore({ root }).createTeam({
    ...at,
    name: "crew",
    leadSessionId: "s",
    leadModel: "m",
    revision,
  });
  for (const name of names)
    await team.join({ name, agentType: "worker", model: "m", prompt: "p", joinedAt: at.createdAt, cwd: root });
  const inboxOf = (name: string) => layoutOf(root).team("crew").inbox(name);
  return {
    root,
    team,
    inboxOf,
    inboxIn: (name) =>
      entriesIn(inboxOf(name)).map((entry) =>
        String(entry["text"]).startsWith("{") ? { ...entry, body: JSON.parse(String(entry["text"])) } : entry,
      ),
  };
}

function entriesIn(path: string): readonly Record<string, unknown>[] {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return [];
  }
}

/**
 * Puts entries behind those of an inbox as a writer does that knows no lock, for a moment when
 * nobody else writes.
 */
export function writeForeign(path: string, ...entries: readonly object[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify([...entriesIn(path), ...entries]));
}
