import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Revision } from "../requirement.ts";
import type { Params } from "../target.ts";

/** The names of a check's team and its lead. */
export interface TeamIdentity {
  readonly team: string;
  /** A UUID; in 2026-11 the name of the team follows from it. */
  readonly session: string;
}

export const cwd = "/home/dev/project";

/**
 * A team as the reference client of a revision would have left it, overridden by a case's fields.
 */
export interface FoundTeamDraft {
  readonly config?: Params;
  readonly members?: readonly (string | Params)[];
  /** A number of tasks, or what they say. */
  readonly tasks?: number | readonly Params[];
  /** By the name of the recipient. */
  readonly inboxes?: Readonly<Record<string, readonly unknown[]>>;
}

const createdAt = 1_770_535_107_409;

export const write = (path: string, document: unknown): void => {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, typeof document === "string" ? document : JSON.stringify(document, undefined, 2));
};

/** Writes the files of such a team, with code of the suite's own. */
export function writeFoundTeam(root: string, revision: Revision, identity: TeamIdentity, draft: FoundTeamDraft): void {
  const { team } = identity;
  write(join(root, "teams", team, "config.json"), configOf(revision, identity, draft));
  const { tasks = [] } = draft;
  const list = typeof tasks === "number" ? Array.from({ length: tasks }, () => ({})) : tasks;
  mkdirSync(join(root, "tasks", team), { recursive: true });
  if (revision === "2026-02" || list.length > 0) writeFileSync(join(root, "tasks", team, ".lock"), "");
  list.forEach((task, index) => {
    const document = { ...taskOf(String(index + 1)), ...task };
    write(join(root, "tasks", team, `${document.id}.json`), document);
  });
  for (const [name, entries] of Object.entries(draft.inboxes ?? {})) {
    write(
      join(root, "teams", team, "inboxes", `${name}.json`),
      entries.map((entry, index) => entryOf(revision, entry, index)),
    );
  }
}

function configOf(revision: Revision, { team, session }: TeamIdentity, { config, members = [] }: FoundTeamDraft) {
  const lead = { agentId: `team-lead@${team}`, name: "team-lead" };
  const place = { joinedAt: createdAt, cwd, subscriptions: [] };
  const isOld = revision === "2026-02";
  const leadEntry = isOld
    ? {
        ...lead,
        agentType: "team-lead",
        model: "claude-opus-4-6",
        joinedAt: createdAt,
        tmuxPaneId: "",
        cwd,
        subscriptions: [],
      }
    : { ...lead, agentType: "team-lead", ...place, tmuxPaneId: "leader", backendType: "in-process" };
  const mates = members.map((member, index) =>
    mateOf(team, typeof member === "string" ? { name: member } : member, index),
  );
  return {
    name: team,
    ...(isOld && { description: "Read the code base" }),
    createdAt,
    leadAgentId: lead.agentId,
    leadSessionId: session,
    ...(!isOld && {
      leadProcess: { pid: 26_688, pidSpace: "vm#pid:[4026531836]", claimedAt: createdAt - 1, procStart: "421816" },
    }),
    members: [leadEntry, ...mates],
    ...config,
  };
}

const colors = ["blue", "green", "yellow", "purple", "orange", "pink", "cyan", "red"];

const mateOf = (team: string, member: Params, index: number) => ({
  agentId: `${String(member["name"])}@${team}`,
  name: member["name"],
  color: colors[index % colors.length],
  joinedAt: createdAt + 1_000 * (index + 1),
  tmuxPaneId: "in-process",
  subscriptions: [],
  agentType: "general-purpose",
  model: "claude-opus-4-6",
  prompt: "Read the parser.",
  planModeRequired: false,
  cwd,
  backendType: "in-process",
  ...member,
});

const taskOf = (id: string) => ({
  id,
  subject: `Task ${id}`,
  description: "All rules of the grammar, with tests",
  status: "pending",
  blocks: [],
  blockedBy: [],
});

/** Fills in an entry of a case from a whole one of the revision; a non-object stays as it is. */
function entryOf(revision: Revision, entry: unknown, index: number): unknown {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return entry;
  const timestamp = new Date(createdAt + 10_000 * (index + 1)).toISOString();
  const whole = { from: "team-lead", text: `Message ${index + 1}`, timestamp };
  const marks = { msgV: 1, msg_id: `77c2c6cd-5f80-4858-ab91-8c1a194a72${70 + index}`, type: "message" };
  return { ...whole, ...(revision === "2026-11" && marks), read: false, ...entry };
}
