import type { TeamView, TimelineView } from "../views.ts";
import { isFound } from "./models/find.ts";
import { timelineOf } from "./models/timeline.ts";
import { ageText, stateWords, timeText } from "./models/words.ts";
import { Empty, Waiting } from "./parts.tsx";
import { route } from "./place.ts";
import { now } from "./stream.ts";
import { useView } from "./views.ts";
import { Windowed } from "./windowed.tsx";

const percent = (part: number): string => `${Math.max(0, Math.min(100, part * 100)).toFixed(3)}%`;

/** Who worked when, and who waited for a person. */
export function Timeline({ team }: { team: TeamView }) {
  const { data, fault } = useView<TimelineView>(`team/${encodeURIComponent(team.name)}/timeline`);
  if (!data) return <Waiting fault={fault} />;
  const { lanes, seconds, ticks } = timelineOf(data, now.value);
  const marks = data.marks.filter(({ by, line }) => isFound(route.value.q, by, line)).toReversed();
  const lasting = (time: number) => ageText(now.value - time * 1_000, now.value);
  return (
    <>
      <h1>
        Timeline <small>{lanes.length > 0 ? lasting(seconds) : ""}</small>
      </h1>
      {lanes.length === 0 ? (
        <Empty>No member of this team records what it does: other clients write no log.</Empty>
      ) : (
        <>
          <p class="legend">
            {(["working", "needs_input", "idle"] as const).map((state) => (
              <span key={state}>
                <i class={`stretch ${state}`} aria-hidden="true" /> {stateWords[state]}
              </span>
            ))}
          </p>
          <div class="lanes" role="group" aria-label="Who worked when" tabIndex={0}>
            <div class="field">
              <div class="ticks" aria-hidden="true">
                {ticks.map(({ left, at }) => (
                  <span key={left} style={{ left: percent(left) }}>
                    {new Date(at).toTimeString().slice(0, 8)}
                  </span>
                ))}
              </div>
              {lanes.map(({ name, stretches, sums }) => (
                <div class="lane" key={name}>
                  <span class="who">{name}</span>
                  <span class="track">
                    {stretches.map(({ left, width, state, from }) => (
                      <i
                        key={from + state}
                        class={`stretch ${state}`}
                        title={`${stateWords[state]} from ${timeText(from, now.value)}`}
                        style={{ left: percent(left), width: percent(width) }}
                      />
                    ))}
                  </span>
                  <span class="sum">
                    {(["working", "needs_input", "idle"] as const)
                      .filter((state) => (sums[state] ?? 0) >= 1)
                      .map((state) => `${stateWords[state]} ${lasting(sums[state] ?? 0)}`)
                      .join(", ")}
                  </span>
                </div>
              ))}
            </div>
          </div>
        </>
      )}
      <h2>What happened</h2>
      {marks.length === 0 ? <Empty>Nothing is recorded.</Empty> : null}
      {data.earlier > 0 ? (
        <p class="hint">
          The last {data.marks.length}; <code>troupe log {team.name}</code> shows the {data.earlier} before.
        </p>
      ) : null}
      <div class="log">
        <Windowed
          label="What happened, the newest first"
          items={marks}
          rowHeight={28}
          keyOf={({ id }) => id}
          row={({ at, by, line }) => (
            <span class="event">
              <time dateTime={at}>{timeText(at, now.value)}</time> <b>{by}</b> {line}
            </span>
          )}
        />
      </div>
    </>
  );
}
