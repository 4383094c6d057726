import type { Orphan } from "@troupe/backends";
import type { Member } from "@troupe/protocol";
import type { Overview, RecordedEvent } from "@troupe/store";
import { isRunningHere } from "@troupe/store/files";
import { eventIn } from "@troupe/team";
import type { MemberView } from "@troupe/web";
import type { Activities } from "../team/activity.ts";
import { leadKnown } from "../team/liveness.ts";
import type { LookedAt } from "./look.ts";
import { textOf } from "./text.ts";

/** The tools that start an agent below the one that calls them. */
const starting: ReadonlySet<string> = new Set(["Agent", "Task"]);

/**
 * What each member does, and who says so: a process that is dead tells more than its last words.
 */
export function memberViews(looked: LookedAt, activities: Activities, root: string): readonly MemberView[] {
  const { overview, view, started, requests, events } = looked;
  const unread = new Map(overview.mail.map(({ agent, unread: count }) => [agent, count]));
  const ends = new Map(overview.members.map(({ member }) => [member.name, endOf(member, events)]));
  const waiting = waitingForAgents(events);
  const lead = view.config && leadKnown(root, view.config);
  const isLeadDead = lead !== undefined && isRunningHere(lead) === false;

  function doingOf({ member, isLead }: Overview["members"][number]): Pick<MemberView, "state" | "source" | "since"> {
    const { name, isActive } = member;
    const activity = activities.get(name);
    const since = activity?.since ?? null;
    const record = recordOf(started, member);
    const end = ends.get(name);
    if (end === "died") return { state: "failed", source: "log", since };
    if (record?.record.process && !record.isRunning) return { state: "lost", source: "process", since };
    if (isLead && isLeadDead) return { state: "lost", source: "process", since };
    const asking = requests.find(({ from }) => from === name);
    if (asking) return { state: "needs_input", source: "log", since: asking.at };
    if (end === "stopped") return { state: "idle", source: "log", since };
    if (activity?.state === "working" && waiting.has(name)) return { state: "waiting", source: "log", since };
    if (activity?.state) return { state: activity.state, source: "log", since };
    if (isActive !== undefined) return { state: isActive ? "working" : "idle", source: "roster", since: null };
    return { state: "unknown", source: "nothing", since: null };
  }

  return overview.members.map((one) => {
    const { member, isLead, backend } = one;
    const activity = activities.get(member.name);
    return {
      name: member.name,
      isLead,
      agentType: member.agentType ?? null,
      model: activity?.model ?? (member.model || null),
      color: member.color ?? null,
      backend: backend ?? null,
      pane: member.tmuxPaneId?.startsWith("%") ? member.tmuxPaneId : null,
      cwd: member.cwd ?? null,
      ...doingOf(one),
      line: activity?.line ? textOf(activity.line).trim() : null,
      unread: unread.get(member.name) ?? 0,
    };
  });
}

/** The record of what was started for this entry, and not for an earlier one of its name. */
export const recordOf = (started: readonly Orphan[], { name, joinedAt }: Pick<Member, "name" | "joinedAt">) =>
  started.find(({ record }) => record.name === name && (record.joinedAt === undefined || record.joinedAt === joinedAt));

/** How it has ended, as its lead or itself has recorded, if nothing was heard of it since. */
function endOf({ name, joinedAt = 0 }: Member, events: readonly RecordedEvent[]): "died" | "stopped" | undefined {
  const last = events.findLast((one) => {
    const event = eventIn(one);
    return (
      one.by === name || (event !== undefined && "name" in event && ofOthers.has(event.kind) && event.name === name)
    );
  });
  const event = last && eventIn(last);
  if (!last || Date.parse(last.at) < joinedAt) return undefined;
  return (event?.kind === "died" || event?.kind === "stopped") && event.name === name ? event.kind : undefined;
}

/** What is recorded of a member by others, when it begins and when it ends. */
const ofOthers: ReadonlySet<string> = new Set(["died", "stopped", "spawned"]);

function waitingForAgents(events: readonly RecordedEvent[]): ReadonlySet<string> {
  const open = new Map<string, string>();
  for (const recorded of events) {
    const event = eventIn(recorded);
    if (event?.kind === "tool" && event.phase === "began" && starting.has(event.tool))
      open.set(recorded.by, event.call);
    if (event?.kind === "tool" && event.phase === "ended" && open.get(recorded.by) === event.call)
      open.delete(recorded.by);
    if (event?.kind === "turn" || event?.kind === "idle") open.delete(recorded.by);
  }
  return new Set(open.keys());
}
