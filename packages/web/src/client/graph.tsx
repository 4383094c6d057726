import type { TeamView } from "../views.ts";
import { graphOf, type Placed } from "./models/graph.ts";
import { counted } from "./models/words.ts";
import { Empty } from "./parts.tsx";
import { amend } from "./place.ts";

const [width, height, gapX, gapY] = [190, 44, 56, 16];
const xOf = ({ x }: Placed) => 8 + x * (width + gapX);
const yOf = ({ y }: Placed) => 8 + y * (height + gapY);
/** As many signs as stand in a box. */
const signs = 25;

const shapes = { pending: "○", in_progress: "◐", completed: "●" } as const;

/** What waits for what, from the left to the right; the longest open chain stands out. */
export function GraphOf({ team }: { team: TeamView }) {
  const { nodes, edges, critical, more } = graphOf(team.tasks, team.edges);
  if (nodes.length === 0) return <Empty>No task waits for another.</Empty>;
  const byId = new Map(nodes.map((node) => [node.task.id, node]));
  const size = {
    width: Math.max(...nodes.map(xOf)) + width + 8,
    height: Math.max(...nodes.map(yOf)) + height + 8,
  };
  return (
    <>
      <p class="hint">
        {critical.length > 0
          ? `The longest open chain: ${critical.map((id) => `#${id}`).join(" → ")}. Nothing is done sooner than these ${critical.length}.`
          : "Nothing that is open waits for another."}
        {more > 0 ? ` ${counted(more, "task")} more are not drawn.` : ""}
      </p>
      <div class="graph" tabIndex={0} role="group" aria-label="Dependencies">
        <svg {...size} viewBox={`0 0 ${size.width} ${size.height}`}>
          <title>Which task waits for which</title>
          {edges.map(({ blocker, waiting, isCritical }) => {
            const [from, to] = [byId.get(blocker), byId.get(waiting)];
            if (!from || !to) return null;
            const [x1, y1, x2, y2] = [xOf(from) + width, yOf(from) + height / 2, xOf(to), yOf(to) + height / 2];
            const path = `M${x1} ${y1} C${x1 + gapX / 2} ${y1} ${x2 - gapX / 2} ${y2} ${x2} ${y2}`;
            return <path key={`${blocker} ${waiting}`} class={isCritical ? "edge critical" : "edge"} d={path} />;
          })}
          {nodes.map((node) => {
            const { task, isCritical } = node;
            const text = task.subject.length > signs ? `${task.subject.slice(0, signs - 1)}…` : task.subject;
            return (
              <g
                key={task.id}
                class={`node ${task.status}${isCritical ? " critical" : ""}`}
                transform={`translate(${xOf(node)} ${yOf(node)})`}
                role="button"
                tabindex={0}
                data-item
                onClick={() => amend({ pick: task.id })}
                onKeyDown={({ key }) => {
                  if (key === "Enter") amend({ pick: task.id });
                }}
              >
                <title>{task.subject}</title>
                <rect width={width} height={height} rx="6" />
                <text x="10" y="18">
                  {shapes[task.status]} #{task.id} {task.owner ?? ""}
                </text>
                <text x="10" y="35" class="subject">
                  {text}
                </text>
              </g>
            );
          })}
        </svg>
      </div>
    </>
  );
}
