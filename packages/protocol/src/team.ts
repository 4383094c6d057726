import { z } from "zod";
import { AgentId } from "./ids.ts";
import { AgentName, isAgentName, nameKey, TeamName } from "./names.ts";
import { type Problem, pointer } from "./problems.ts";
import { Milliseconds } from "./timestamp.ts";

/**
 * One agent of a team. Readers require only `agentId` and `name`: entries can be incomplete or
 * foreign.
 */
export const Member = z
  .looseObject({
    agentId: AgentId.describe("`<name>@<team>`."),
    name: AgentName.describe("Unique in the team after NFC and lower case; messages and tasks name the member by it."),
    agentType: z
      .string()
      .optional()
      .describe("`team-lead` for the lead, else the definition the agent runs, such as `general-purpose`; open."),
    model: z.string().optional().describe("A model id, or an alias as it was given."),
    prompt: z.string().optional().describe("The whole first instruction; teammates only."),
    color: z
      .string()
      .optional()
      .describe("One of the eight colour names by spawn order, kept whatever it is; the lead has none."),
    planModeRequired: z
      .boolean()
      .optional()
      .describe("True if the agent must have a plan approved before it may write; teammates only."),
    joinedAt: Milliseconds.optional().describe("When the member joined; the lead's equals the team's `createdAt`."),
    tmuxPaneId: z
      .string()
      .optional()
      .describe('The pane as tmux names it (`%14`), `in-process`, or `""` while the entry is being completed.'),
    cwd: z.string().optional().describe("Absolute working directory."),
    subscriptions: z.array(z.unknown()).optional().describe("Reserved: written as an empty array, read as nothing."),
    backendType: z
      .string()
      .optional()
      .describe("`tmux` or `in-process`; `pane` is read as `tmux`, other names are kept."),
    isActive: z
      .boolean()
      .optional()
      .describe("For a tmux member: true while it works, false while idle. Absent means unknown."),
  })
  .meta({ title: "Member", description: "One agent of a team." });
export type Member = z.infer<typeof Member>;

/** The process that leads; other writers leave it as it is. */
export const LeadProcess = z
  .looseObject({
    pid: z.int().describe("Process id."),
    pidSpace: z.string().optional().describe("The namespace in which the id means something; opaque."),
    claimedAt: Milliseconds.optional().describe("When the process claimed the lead."),
    procStart: z
      .string()
      .optional()
      .describe("When the process started, to tell it from a later one with the same id; opaque."),
  })
  .meta({ title: "Lead process", description: "The process that leads the team." });
export type LeadProcess = z.infer<typeof LeadProcess>;

/** A team as any reader sees it. */
export const TeamConfig = z.looseObject({
  name: TeamName.describe("Equal to the name of the team's directory."),
  description: z.string().optional().describe("What the team is for, as given at its creation; empty if nothing was."),
  createdAt: Milliseconds.optional().describe("When the team was created."),
  leadAgentId: AgentId.optional().describe("The `agentId` of the member that leads."),
  leadSessionId: z.string().optional().describe("The lead's session id, a UUID."),
  leadProcess: LeadProcess.optional().describe("The process that leads; from client 2.1.326 on."),
  members: z
    .array(Member)
    .describe("The lead first, then the teammates in the order they joined. One that ends is removed."),
});
export type TeamConfig = z.infer<typeof TeamConfig>;

/** The colours of teammates, in the order they are given out. */
export const colors = ["blue", "green", "yellow", "purple", "orange", "pink", "cyan", "red"] as const;
export type Color = (typeof colors)[number];

/**
 * The colour of the n-th spawned teammate, counted from 0 by spawn order; the ninth starts over.
 */
export function colorOf(spawnIndex: number): Color {
  const index = ((spawnIndex % colors.length) + colors.length) % colors.length;
  return colors[index] ?? "blue";
}

/** The member that leads: the one `leadAgentId` names, else the one of type `team-lead`. */
export const leadOf = (team: TeamConfig): Member | undefined =>
  team.members.find(({ agentId }) => agentId === team.leadAgentId) ??
  team.members.find(({ agentType }) => agentType === "team-lead");

/** The backend of a member, with old names read as today's. */
export const backendOf = ({ backendType }: Pick<Member, "backendType">): string | undefined =>
  backendType === "pane" ? "tmux" : backendType;

/** Checks that no schema can express: duplicate names, ids that do not match. */
export function inspectTeam(team: TeamConfig, directoryName?: string): Problem[] {
  const problems: Problem[] = [];
  const seen = new Map<string, number>();
  if (directoryName !== undefined && team.name !== directoryName) {
    problems.push(mismatch(["name"], `is "${team.name}", but the directory is "${directoryName}"`, directoryName));
  }
  team.members.forEach(({ agentId, name }, index) => {
    const first = seen.get(nameKey(name));
    if (first === undefined) seen.set(nameKey(name), index);
    else {
      const path = pointer(["members", index, "name"]);
      const message = `${path} is "${name}", the name of member ${first} as well`;
      problems.push({ path, code: "name_duplicated", message, fix: "remove one of the two, or give it another name" });
    }
    if (!isAgentName(name)) problems.push(unaddressable(index, name));
    const expected = `${name}@${team.name}`;
    if (agentId !== expected) problems.push(mismatch(["members", index, "agentId"], `is "${agentId}"`, expected));
  });
  if (team.leadAgentId !== undefined && !team.members.some(({ agentId }) => agentId === team.leadAgentId)) {
    problems.push(mismatch(["leadAgentId"], `names no member: "${team.leadAgentId}"`, "the agentId of the lead"));
  }
  return problems;
}

function unaddressable(index: number, name: string): Problem {
  const path = pointer(["members", index, "name"]);
  const message = `${path} is ${JSON.stringify(name)}, which can name no inbox`;
  return { path, code: "field_invalid", message, fix: `make ${path} a shorter name of visible characters` };
}

function mismatch(at: readonly PropertyKey[], what: string, expected: string): Problem {
  const path = pointer(at);
  return { path, code: "id_mismatched", message: `${path} ${what}`, fix: `make ${path} ${expected}` };
}
