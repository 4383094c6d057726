import type { TaskCard, TeamSummary, TeamView } from "@troupe/web";
import { edgesOf } from "../task/graph.ts";
import { activitiesAfter } from "../team/activity.ts";
import type { LookedAt } from "./look.ts";
import { memberViews } from "./member-view.ts";
import { requestView } from "./request-view.ts";

/** An owner who rests for so long does not work on what is in progress. */
const restMs = 5 * 60_000;

/** A team in short, as the page shows it. */
export function summaryView(looked: LookedAt, root: string, now: Date): TeamSummary {
  const { overview, events, requests, isLive, changedAt } = looked;
  const activities = activitiesAfter(overview, events, now);
  const members = memberViews(looked, activities, root);
  const cards = overview.tasks.map(cardOf);
  const having = (isMeant: (card: TaskCard) => boolean) => cards.filter(isMeant).length;
  const isStuck = ({ status, owner, changedAt: at }: TaskCard): boolean => {
    if (!isLive || status !== "in_progress" || owner === null) return false;
    const member = members.find(({ name }) => name === owner);
    if (!member || member.state === "lost" || member.state === "failed") return true;
    const since = Math.max(at, Date.parse(member.since ?? "") || 0);
    return member.state === "idle" && now.getTime() - since > restMs;
  };
  return {
    name: overview.team,
    form: overview.form ?? null,
    description: overview.description ?? "",
    isLive,
    changedAt,
    members,
    requests: requests.map((one) => requestView(overview.team, one)),
    stuck: cards.filter(isStuck),
    counts: {
      ready: having(({ status, openBlockers }) => status === "pending" && openBlockers.length === 0),
      blocked: having(({ status, openBlockers }) => status === "pending" && openBlockers.length > 0),
      in_progress: having(({ status }) => status === "in_progress"),
      completed: having(({ status }) => status === "completed"),
    },
    problems: overview.problems.map(({ file, message, fix }) => ({ file, message, fix })),
  };
}

/** A team whole. */
export function teamView(looked: LookedAt, root: string, now: Date): TeamView {
  const { overview } = looked;
  return {
    ...summaryView(looked, root, now),
    tasks: overview.tasks.map(cardOf),
    edges: edgesOf(overview.tasks.map(({ task }) => task)),
    mail: overview.mail.map(({ agent, entries, unread }) => ({ agent, total: entries.length, unread })),
  };
}

const cardOf = ({ task, openBlockers, changedAt }: LookedAt["overview"]["tasks"][number]): TaskCard => ({
  id: task.id,
  subject: task.subject ?? "",
  status: task.status === "deleted" ? "completed" : task.status,
  owner: task.owner ?? null,
  openBlockers,
  changedAt,
});
