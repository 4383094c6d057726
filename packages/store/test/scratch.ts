import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isUnread, layoutOf, type TeamLayout } from "@troupe/protocol";
import type { Message } from "@troupe/protocol/rules";
import { test as base } from "vitest";
import { memory } from "../../../scripts/memory.ts";
import type { Team } from "../src/store.ts";

/** A test with its own directory, the paths of a team in it, and an unused file name. */
export const test = base.extend<{ root: string; layout: TeamLayout; file: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the parameters of a fixture from its pattern
  root: async ({}, use) => {
    const root = mkdtempSync(join(realpathSync(memory), "troupe-store-"));
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

/** The mail of a member, as any observer sees it. */
export const mailOf = async (team: Team, name: string): Promise<readonly Message[]> =>
  (await team.mail(name).page()).value ?? [];

/** The messages that a member has not taken. */
export const waitingFor = async (team: Team, name: string): Promise<readonly Message[]> =>
  (await mailOf(team, name)).filter(({ entry }) => isUnread(entry));

/** The draft of a team. */
export const teamDraft = {
  name: "t",
  createdAt: 1,
  leadSessionId: "b7f5edcc-898c-4e36-983f-1c2e8fec7d28",
  leadModel: "m",
  cwd: "/p",
};

/** The draft of a member. */
export const mate = (name: string) => ({
  name,
  agentType: "general-purpose",
  model: "m",
  prompt: "go",
  joinedAt: 2,
  cwd: "/p",
});
