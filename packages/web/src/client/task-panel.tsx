import { useState } from "preact/hooks";
import type { TaskCard, TeamView } from "../views.ts";
import { Age, Name } from "./parts.tsx";
import { amend } from "./place.ts";
import { act } from "./views.ts";

/** One task: what it waits for, what waits for it, and what a person can do with it. */
export function TaskPanel({ card, team, person }: { card: TaskCard; team: TeamView; person: string | null }) {
  const { id, subject, owner, status, openBlockers, changedAt } = card;
  const [said, tell] = useState("");
  const member = team.members.find(({ name }) => name === owner);
  const waiting = team.edges.filter(({ blocker }) => blocker === id).map((edge) => edge.waiting);
  const change = async (body: object) => tell((await act(team.name, "task", { id, ...body })).words);
  return (
    <aside class="panel" aria-label={`Task ${id}`}>
      <h2>
        <small>#{id}</small> {subject}
        <button type="button" class="plain" aria-label="Close" onClick={() => amend({ pick: "" })}>
          ×
        </button>
      </h2>
      <dl>
        <dt>State</dt>
        <dd>
          {status.replace("_", " ")} <Age at={changedAt} />
        </dd>
        <dt>Owner</dt>
        <dd>
          {owner === null ? (
            "nobody"
          ) : member ? (
            <Name team={team.name} name={owner} color={member.color} />
          ) : (
            `${owner}, who is not in the team`
          )}
        </dd>
        <dt>Waits for</dt>
        <dd>
          <Ids ids={openBlockers} team={team} />
        </dd>
        <dt>Holds up</dt>
        <dd>
          <Ids ids={waiting} team={team} />
        </dd>
      </dl>
      {person === null ? null : (
        <div class="acts">
          <label>
            Owner
            <select
              value={owner ?? ""}
              onChange={({ currentTarget }) =>
                change({ owner: currentTarget.value === "" ? null : currentTarget.value })
              }
            >
              <option value="">nobody</option>
              {team.members.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label>
            State
            <select value={status} onChange={({ currentTarget }) => change({ status: currentTarget.value })}>
              <option value="pending">pending</option>
              <option value="in_progress">in progress</option>
              <option value="completed">completed</option>
            </select>
          </label>
        </div>
      )}
      <p role="status">{said}</p>
    </aside>
  );
}

function Ids({ ids, team }: { ids: readonly string[]; team: TeamView }) {
  if (ids.length === 0) return <>nothing</>;
  return (
    <ul class="ids">
      {ids.map((id) => (
        <li key={id}>
          <button type="button" class="link" onClick={() => amend({ pick: id })}>
            #{id} {team.tasks.find((task) => task.id === id)?.subject ?? ""}
          </button>
        </li>
      ))}
    </ul>
  );
}
