import type { Store, Team } from "@troupe/store";
import type { Call } from "../command.ts";

export const teamName = "demo";

/** The members that run as processes; the lead is the process that starts them. */
export const workers = ["reader", "writer", "checker"] as const;

/** The tasks, and which each waits for, by index in this list. */
const list = [
  { subject: "Read the grammar", after: [] },
  { subject: "Read the old tests", after: [] },
  { subject: "Write the parser", after: [1] },
  { subject: "Write new tests", after: [2] },
  { subject: "Run everything", after: [3, 4] },
  { subject: "Write the release note", after: [5] },
];

export const taskCount = list.length;

/** Creates the team, its members and its tasks. */
export async function makeTeam(store: Store, { now, cwd }: Pick<Call, "now" | "cwd">): Promise<Team> {
  const team = await store.createTeam({
    name: teamName,
    description: "Give the parser error recovery",
    createdAt: now().getTime(),
    leadSessionId: crypto.randomUUID(),
    leadModel: "none",
    cwd,
  });
  for (const name of workers)
    await team.join({ name, agentType: "general-purpose", model: "none", prompt: "", joinedAt: now().getTime(), cwd });
  const ids: string[] = [];
  for (const { subject, after } of list) {
    const { id } = await team.tasks.create({ subject, description: "" });
    ids.push(id);
    const addBlockedBy = after.flatMap((place) => ids[place - 1] ?? []);
    if (addBlockedBy.length > 0) await team.tasks.update(id, { addBlockedBy });
  }
  return team;
}

export const isDone = async ({ tasks }: Team): Promise<boolean> =>
  (await tasks.list()).tasks.every(({ status }) => status === "completed");
