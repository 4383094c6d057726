import { useState } from "preact/hooks";
import type { TaskCard, TeamView } from "../views.ts";
import { GraphOf } from "./graph.tsx";
import { columnsOf } from "./models/board.ts";
import { counted } from "./models/words.ts";
import { Age, Empty } from "./parts.tsx";
import { amend, route } from "./place.ts";
import { TaskPanel } from "./task-panel.tsx";
import { act } from "./views.ts";
import { Windowed } from "./windowed.tsx";

const rowHeight = 68;

/** The tasks of a team in columns, or as what waits for what. */
export function Board({ team, person }: { team: TeamView; person: string | null }) {
  const { q, pick } = route.value;
  const isGraph = pick === "graph";
  const columns = columnsOf(team.tasks, q);
  const chosen = team.tasks.find(({ id }) => id === pick);
  return (
    <>
      <h1>
        Board <small>{counted(team.tasks.length, "task")}</small>
        <span class="toggle">
          <button type="button" aria-pressed={!isGraph} onClick={() => amend({ pick: "" })}>
            Columns
          </button>
          <button type="button" data-key="g" aria-pressed={isGraph} onClick={() => amend({ pick: "graph" })}>
            Dependencies
          </button>
        </span>
      </h1>
      {person !== null ? <NewTask team={team.name} /> : null}
      {team.tasks.length === 0 ? <Empty>There are no tasks.</Empty> : null}
      {isGraph ? <GraphOf team={team} /> : null}
      {isGraph || team.tasks.length === 0 ? null : (
        <div class={chosen ? "columns beside" : "columns"}>
          {columns.map(({ title, cards }) => (
            <section key={title} aria-label={title}>
              <h2>
                {title} <small>{cards.length}</small>
              </h2>
              <Windowed
                label={title}
                items={cards}
                rowHeight={rowHeight}
                keyOf={({ id }) => id}
                row={(card) => <Card card={card} team={team} isChosen={card.id === pick} />}
              />
            </section>
          ))}
        </div>
      )}
      {chosen ? <TaskPanel key={chosen.id} card={chosen} team={team} person={person} /> : null}
    </>
  );
}

function Card({ card, team, isChosen }: { card: TaskCard; team: TeamView; isChosen: boolean }) {
  const { id, subject, owner, openBlockers, status, changedAt } = card;
  const color = team.members.find(({ name }) => name === owner)?.color ?? "none";
  const isStuck = team.stuck.some((one) => one.id === id);
  return (
    <button
      type="button"
      class={`card ${status}`}
      data-item
      aria-pressed={isChosen}
      onClick={() => amend({ pick: isChosen ? "" : id })}
    >
      <span class="subject">
        <small>#{id}</small> {subject}
      </span>
      <span class="foot">
        {owner === null ? null : (
          <>
            <i class={`swatch c-${color}`} aria-hidden="true" />
            {owner}
          </>
        )}
        {isStuck ? <em class="warn">held up</em> : null}
        {openBlockers.length > 0 ? <em>waits for {openBlockers.map((one) => `#${one}`).join(", ")}</em> : null}
        {status === "pending" ? null : <Age at={changedAt} />}
      </span>
    </button>
  );
}

function NewTask({ team }: { team: string }) {
  const [subject, write] = useState("");
  const [said, tell] = useState("");
  return (
    <form
      class="line"
      onSubmit={async (event) => {
        event.preventDefault();
        const { isDone, words } = await act(team, "task", { id: null, subject });
        if (isDone) write("");
        tell(words);
      }}
    >
      <input
        aria-label="Subject of a new task"
        placeholder="New task"
        data-key="n"
        required
        value={subject}
        onInput={({ currentTarget }) => write(currentTarget.value)}
      />
      <button type="submit">Create</button>
      <span role="status">{said}</span>
    </form>
  );
}
