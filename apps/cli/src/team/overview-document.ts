import type { Asked } from "@troupe/backends/host";
import type { Overview, TaskView } from "@troupe/store";
import type { Requested } from "../host/requested.ts";
import type { Activities, Activity } from "./activity.ts";

/** Renders a team as `--json` prints it. */
export const overviewDocument = (
  { team, form, description, members, mail, tasks, problems }: Overview,
  activities: Activities = new Map(),
  requested: Requested = new Map(),
) => ({
  name: team,
  form: form ?? null,
  description: description ?? "",
  members: members.map(({ member, isLead, backend }) => ({
    name: member.name,
    isLead,
    agentType: member.agentType ?? null,
    model: member.model ?? null,
    color: member.color ?? null,
    backend: backend ?? null,
    pane: member.tmuxPaneId?.startsWith("%") ? member.tmuxPaneId : null,
    host: hostDocument(requested.get(member.name)),
    isActive: member.isActive ?? null,
    needsInput: activities.get(member.name)?.state === "needs_input",
    since: sinceOf(activities.get(member.name)),
  })),
  mail: mail.map(({ agent, unread }) => ({ agent, unread })),
  tasks: tasks.map(({ task, openBlockers }) => taskDocument(task, openBlockers)),
  problems,
});

const hostDocument = (asked: Asked | undefined) =>
  asked === undefined ? null : { name: asked.host, state: asked.state, isHeard: asked.isHeard };

const sinceOf = ({ state, since }: Partial<Activity> = {}) => (state === undefined ? null : (since ?? null));

/** Renders a task list without a team as `--json` prints it. */
export const listDocument = ({ team, tasks, problems }: TaskView) => ({
  name: team,
  tasks: tasks.map(({ task, openBlockers }) => taskDocument(task, openBlockers)),
  problems,
});

/**
 * Renders a task as `--json` prints it: the fields of its file, and the open tasks it waits for.
 */
export const taskDocument = (task: Overview["tasks"][number]["task"], openBlockers: readonly string[]) => ({
  ...task,
  openBlockers,
});
