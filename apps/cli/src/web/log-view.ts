import type { RecordedEvent } from "@troupe/store";
import { eventIn, foldDoings, stateOf } from "@troupe/team";
import type { EventView, LogView, TimelineView } from "@troupe/web";
import { toldRecord } from "../watch/recorded.ts";
import type { LookedAt } from "./look.ts";
import { textOf } from "./text.ts";

/** So many events stand on a page. */
const pageSize = 500;

/** The events behind a place, or the last ones; undefined for a place that is not in the log. */
export function logView(events: readonly RecordedEvent[], after: string | undefined): LogView | undefined {
  const at = after === undefined ? events.length - pageSize - 1 : events.findLastIndex(({ id }) => id === after);
  if (after !== undefined && at < 0) return undefined;
  const page = events.slice(Math.max(0, at + 1), Math.max(0, at + 1) + pageSize);
  const last = page.at(-1)?.id ?? after ?? null;
  return { events: page.map(eventView), last, hasMore: last !== (events.at(-1)?.id ?? last) };
}

function eventView(recorded: RecordedEvent): EventView {
  const { id, at, by } = recorded;
  const event = eventIn(recorded);
  const { line } = toldRecord(recorded);
  return { id, at, by, kind: event?.kind ?? "other", line: line ? textOf(line.slice(1)).trim() : lineOf(event) };
}

/** What the files of a team tell themselves. */
function lineOf(event: ReturnType<typeof eventIn>): string | null {
  if (event?.kind === "task")
    return event.status === "completed"
      ? `completes #${event.id}`
      : `sets #${event.id} to ${event.status.replace("_", " ")}`;
  if (event?.kind === "message") return `writes to ${event.to}`;
  return event?.kind === "spawning" ? `adds ${event.name}` : null;
}

/** The events that stand above the lanes of the timeline. */
const marking: ReadonlySet<string> = new Set(["task", "permission", "plan", "spawned", "died", "stopped", "acted"]);

/** Who worked when, and who waited for whom, as far back as the history goes. */
export function timelineView({ overview, events }: LookedAt): TimelineView {
  const doings = foldDoings();
  const lanes = new Map<string, { from: string; to: string | null; state: "working" | "idle" | "needs_input" }[]>();
  // Who has left, or was there before another of its name, has a lane as well.
  const joined = new Map(overview.members.map(({ member }) => [member.name, member.joinedAt]));
  for (const recorded of events) {
    doings.take(recorded);
    const { by, at } = recorded;
    const added = eventIn(recorded);
    if (added?.kind === "spawning") joined.set(added.name, added.joinedAt);
    const doing = doings.of({ name: by, joinedAt: joined.get(by) });
    if (!doing) continue;
    const state = stateOf(doing);
    const lane = lanes.get(by) ?? [];
    lanes.set(by, lane);
    const last = lane.at(-1);
    if (last?.state === state) continue;
    if (last) last.to = at;
    lane.push({ from: at, to: null, state });
  }
  for (const recorded of events) {
    const event = eventIn(recorded);
    if (event?.kind !== "died" && event?.kind !== "stopped") continue;
    const last = lanes.get(event.name)?.findLast(({ from }) => from <= recorded.at);
    if (last && last.to === null) last.to = recorded.at;
  }
  const marks = events.filter((one) => marking.has(eventIn(one)?.kind ?? ""));
  return {
    from: events[0]?.at ?? null,
    to: events.at(-1)?.at ?? null,
    lanes: [...lanes].map(([name, spans]) => ({ name, spans })),
    marks: marks
      .slice(-pageSize)
      .map(eventView)
      .map(({ id, at, by, line }) => ({ id, at, by, line: line ?? "" })),
    earlier: Math.max(0, marks.length - pageSize),
  };
}
