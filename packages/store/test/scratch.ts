import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { layoutOf, type TeamLayout } from "@troupe/protocol";
import { test as base } from "vitest";

/** A test with a directory of its own, the paths of a team in it, and a file name nobody uses yet. */
export const test = base.extend<{ root: string; layout: TeamLayout; file: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the parameters of a fixture from its pattern
  root: async ({}, use) => {
    const root = mkdtempSync(join(realpathSync(tmpdir()), "troupe-store-"));
    await use(root);
    rmSync(root, { recursive: true });
  },
  layout: async ({ root }, use) => {
    const layout = layoutOf(root).team("analysis");
    mkdirSync(layout.directory, { recursive: true });
    await use(layout);
  },
  file: ({ root }, use) => use(join(root, "alice.json")),
});

/** What a team begins with. */
export const teamDraft = {
  name: "t",
  createdAt: 1,
  leadSessionId: "b7f5edcc-898c-4e36-983f-1c2e8fec7d28",
  leadModel: "m",
  cwd: "/p",
};

/** What a member begins with. */
export const mate = (name: string) => ({
  name,
  agentType: "general-purpose",
  model: "m",
  prompt: "go",
  joinedAt: 2,
  cwd: "/p",
});
