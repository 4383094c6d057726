import type { AgentView, ItemView, MemberDetail, TeamView } from "../views.ts";
import { isFound } from "./models/find.ts";
import { byState } from "./models/now.ts";
import { hashOf } from "./models/route.ts";
import { counted, sourceWords } from "./models/words.ts";
import { MemberTable } from "./now.tsx";
import { Age, Diff, Empty, State, Waiting } from "./parts.tsx";
import { route } from "./place.ts";
import { SendForm } from "./send-form.tsx";
import { useView } from "./views.ts";

/** All members of a team. */
export function Members({ team }: { team: TeamView }) {
  const { q } = route.value;
  const shown = byState(team.members).filter(({ name, agentType, line }) => isFound(q, name, agentType, line));
  return (
    <>
      <h1>
        Members <small>{counted(team.members.length, "member")}</small>
      </h1>
      {shown.length === 0 ? (
        <Empty>No member that can be read.</Empty>
      ) : (
        <MemberTable team={team.name} members={shown} />
      )}
    </>
  );
}

/** One member: what it does and who says so, its agents, and the end of its conversation. */
export function Member({ team, name, person }: { team: TeamView; name: string; person: string | null }) {
  const path = `team/${encodeURIComponent(team.name)}/member/${encodeURIComponent(name)}`;
  const { data, fault } = useView<MemberDetail>(path);
  if (!data)
    return (
      <>
        <h1>{name}</h1>
        <Waiting fault={fault === "there is nothing here" ? `There is no ${name} in ${team.name}.` : fault} />
      </>
    );
  const { member, gone, worktree, process, session, items, earlier, agents } = data;
  const others = team.members.filter((one) => one.name !== name).map((one) => one.name);
  return (
    <>
      <h1>
        {name} <small>{member?.isLead ? "leads the team" : (member?.agentType ?? "")}</small>
      </h1>
      {gone ? (
        <p class="hint">
          {name} is in the team no more: {gone.line} <Age at={gone.at} />
        </p>
      ) : null}
      {member ? (
        <dl class="facts">
          <dt>State</dt>
          <dd>
            <State state={member.state} since={member.since} /> <small>{sourceWords[member.source]}</small>
          </dd>
          <dt>Last</dt>
          <dd>{member.line ?? "nothing recorded"}</dd>
          <dt>Model</dt>
          <dd>{member.model ?? "not known"}</dd>
          <dt>Runs in</dt>
          <dd>
            {[
              member.backend,
              member.pane,
              process ? `process ${process.pid}${process.isRunning ? "" : ", which has ended"}` : null,
            ]
              .filter(Boolean)
              .join(", ") || "not known"}
          </dd>
          <dt>{worktree === null ? "Directory" : "Worktree"}</dt>
          <dd class="path">{worktree ?? member.cwd ?? "not known"}</dd>
          {session === null ? null : (
            <>
              <dt>Session</dt>
              <dd class="path">{session}</dd>
            </>
          )}
          {others.length > 0 ? (
            <>
              <dt>Threads</dt>
              <dd>
                {others.slice(0, 12).map((other) => (
                  <a
                    key={other}
                    class="chip"
                    href={hashOf({ screen: "threads", team: team.name, of: [name, other].sort() })}
                  >
                    {other}
                  </a>
                ))}
              </dd>
            </>
          ) : null}
        </dl>
      ) : null}
      {person !== null && member && !member.isLead ? <SendForm key={name} team={team} to={name} /> : null}
      {agents.length > 0 ? (
        <section aria-label="Agents">
          <h2>Agents below it</h2>
          <Agents agents={agents} />
        </section>
      ) : null}
      <section class="transcript" aria-label="Conversation">
        <h2>
          Conversation <small>{earlier > 0 ? `the last ${items.length}; ${earlier} stand before` : ""}</small>
        </h2>
        {items.length === 0 ? <Empty>No transcript of {name} is on this machine.</Empty> : null}
        {items.map((item, at) => (
          <Item key={earlier + at} item={item} />
        ))}
      </section>
    </>
  );
}

const Agents = ({ agents }: { agents: readonly AgentView[] }) => (
  <ul class="tree">
    {agents.map(({ id, description, isRunning, children }) => (
      <li key={id}>
        <span class={isRunning ? "state working" : "state idle"}>
          <i aria-hidden="true" />
          {description || id}
        </span>{" "}
        <small>{isRunning ? "works" : "has ended"}</small>
        {children.length > 0 ? <Agents agents={children} /> : null}
      </li>
    ))}
  </ul>
);

function Item({ item }: { item: ItemView }) {
  const { kind, who, about, text, diff, isError } = item;
  if (kind === "call")
    return (
      <details class={isError ? "call failed" : "call"}>
        <summary>
          <b>{who}</b> <span>{about}</span> {isError ? <em class="warn">failed</em> : null}
        </summary>
        {diff ? <Diff lines={diff} /> : <div class="text">{text || "it gave nothing"}</div>}
      </details>
    );
  const from = { person: "Person", mail: `Mail from ${who}`, plan: "Plan", fault: "Fault", notice: "", words: "" }[
    kind
  ];
  return (
    <div class={`item ${kind}`}>
      {from === "" ? null : (
        <>
          <b>{from}</b> {about}
        </>
      )}
      {text === "" ? null : <div class="text">{text}</div>}
    </div>
  );
}
