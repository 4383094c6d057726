import { z } from "zod";
import { AgentId } from "../ids.ts";
import { InboxEntry } from "../inbox.ts";
import { AgentName, TaskId } from "../names.ts";
import { Task } from "../task.ts";
import { TeamConfig } from "../team.ts";
import { Milliseconds, Timestamp } from "../timestamp.ts";
import type { Revision } from "./revision.ts";

/** The documents of one revision, as a reader must accept them. */
export interface DocumentSchemas {
  readonly team: z.ZodType;
  readonly entry: z.ZodType;
  readonly inbox: z.ZodType;
  readonly task: z.ZodType;
}

const leadExample = {
  agentId: "team-lead@analysis-team",
  name: "team-lead",
  agentType: "team-lead",
  joinedAt: 1770535107409,
};
const prompt = "Read the parser and report what is missing to team-lead.";

/** Stricter than the view of any reader, never looser: what passes here is typed as the view. */
const team = TeamConfig.extend({
  createdAt: Milliseconds.describe("When the team was created."),
  leadAgentId: AgentId.describe("The `agentId` of the member that leads."),
});

const team02 = team.meta({
  title: "Team config",
  description: "`teams/<team>/config.json`: a team that was created by name, and its members.",
  examples: [
    {
      name: "analysis-team",
      description: "Read the code base",
      createdAt: 1770535107409,
      leadAgentId: "team-lead@analysis-team",
      leadSessionId: "c93b690c-0d1e-4a56-9f0a-d9451b749ac2",
      members: [
        { ...leadExample, model: "claude-opus-4-6", tmuxPaneId: "", cwd: "/home/dev/project", subscriptions: [] },
        {
          agentId: "reader@analysis-team",
          name: "reader",
          agentType: "general-purpose",
          model: "claude-opus-4-6",
          prompt,
          color: "blue",
          planModeRequired: false,
          joinedAt: 1770535144590,
          tmuxPaneId: "%14",
          cwd: "/home/dev/project",
          subscriptions: [],
          backendType: "tmux",
          isActive: true,
        },
      ],
    },
  ],
});

const team11 = team.meta({
  title: "Team config",
  description: "`teams/session-<8 hex digits>/config.json`: the one team of an interactive session, and its members.",
  examples: [
    {
      name: "session-b7f5edcc",
      createdAt: 1794989114898,
      leadAgentId: "team-lead@session-b7f5edcc",
      leadSessionId: "b7f5edcc-898c-4e36-983f-1c2e8fec7d28",
      leadProcess: { pid: 26688, pidSpace: "vm#pid:[4026531836]", claimedAt: 1794989114897, procStart: "421816" },
      members: [
        {
          agentId: "team-lead@session-b7f5edcc",
          name: "team-lead",
          agentType: "team-lead",
          joinedAt: 1794989114898,
          tmuxPaneId: "leader",
          cwd: "/home/dev/project",
          subscriptions: [],
          backendType: "in-process",
        },
        {
          agentId: "alice@session-b7f5edcc",
          name: "alice",
          color: "blue",
          joinedAt: 1794989123690,
          tmuxPaneId: "in-process",
          subscriptions: [],
          agentType: "general-purpose",
          model: "sonnet",
          prompt,
          planModeRequired: false,
          cwd: "/home/dev/project",
          backendType: "in-process",
        },
      ],
    },
  ],
});

const timestamp = Timestamp.describe("When it was sent: ISO 8601 in UTC, with or without a fraction.");
const entryExample02 = {
  from: "alice",
  text: "The parser lacks error recovery.",
  summary: "parser report",
  timestamp: "2026-02-13T10:45:20.631Z",
  color: "blue",
  read: false,
};
const entry02 = InboxEntry.extend({
  timestamp,
  read: z.boolean().describe("False until the recipient has taken the message, then true."),
}).meta({ title: "Inbox entry", description: "One message in an inbox.", examples: [entryExample02] });

const entryExample11 = {
  from: "alice",
  text: "The parser lacks error recovery.",
  summary: "parser report",
  timestamp: "2026-11-18T08:05:37.971Z",
  color: "blue",
  msgV: 1,
  msg_id: "77c2c6cd-5f80-4858-ab91-8c1a194a7277",
  type: "message",
  read: false,
};
const entry11 = InboxEntry.extend({ timestamp }).meta({
  title: "Inbox entry",
  description: "One message in an inbox.",
  examples: [entryExample11],
});

const inbox = (entry: z.ZodType, what: string, example: unknown) =>
  z
    .array(entry)
    .meta({ title: "Inbox", description: `\`teams/<team>/inboxes/<agent>.json\`: ${what}`, examples: [[example]] });

const task = Task.extend({
  subject: z.string().describe("What is to be done, as an instruction: `Write the parser`."),
  description: z.string().describe("Details and what counts as done."),
  owner: AgentName.optional().describe("The bare name of the member that owns the task; absent without an owner."),
  blocks: z.array(TaskId).describe("Ids of the tasks that wait for this one."),
  blockedBy: z
    .array(TaskId)
    .describe("Ids of the tasks this one waits for; a completed, deleted or absent one blocks nothing."),
}).meta({
  title: "Task",
  description: "`tasks/<team>/<id>.json`: one task of a team's list.",
  examples: [
    {
      id: "4",
      subject: "Write the parser",
      description: "All cases of the grammar, with tests",
      activeForm: "Writing the parser",
      owner: "alice",
      status: "in_progress",
      blocks: ["5"],
      blockedBy: [],
    },
  ],
});

/** The published documents of each revision. */
export const documentSchemas: Readonly<Record<Revision, DocumentSchemas>> = {
  "2026-02": {
    team: team02,
    entry: entry02,
    inbox: inbox(entry02, "every message the agent was ever sent, oldest first, none removed.", entryExample02),
    task,
  },
  "2026-11": {
    team: team11,
    entry: entry11,
    inbox: inbox(
      entry11,
      "the messages that wait for the agent, oldest first; delivered ones are removed.",
      entryExample11,
    ),
    task,
  },
};
