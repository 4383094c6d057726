import type { MemberView, TeamSummary, TeamsView } from "../views.ts";
import { isFound } from "./models/find.ts";
import { byState, type Need, needsIn } from "./models/now.ts";
import { hashOf } from "./models/route.ts";
import { counted } from "./models/words.ts";
import { Age, Empty, Name, State } from "./parts.tsx";
import { route } from "./place.ts";

/** All teams: who needs a person comes first. */
export function Now({ view }: { view: TeamsView }) {
  const { q } = route.value;
  const needs = needsIn(view.teams).filter((one) => isFound(q, one.team, ...textsOf(one)));
  const live = view.teams.filter(({ isLive }) => isLive);
  const others = view.teams.filter(({ isLive }) => !isLive);
  return (
    <>
      <h1>
        Now <small>{needs.length === 0 ? "nothing needs you" : `${counted(needs.length, "thing")} for you`}</small>
      </h1>
      <section aria-label="Needs you" class={needs.length > 0 ? "needs" : "needs calm"}>
        {needs.length === 0 ? (
          <Empty>
            {view.teams.length === 0
              ? "There is no team yet: troupe team create creates one, and so does a session that starts a teammate."
              : "Nobody waits for you."}
          </Empty>
        ) : (
          <ul>
            {needs.map((need) => (
              <li key={keyOf(need)}>
                <NeedRow need={need} />
              </li>
            ))}
          </ul>
        )}
      </section>
      {live.map((team) => (
        <TeamRows key={team.name} team={team} q={q} />
      ))}
      {view.problems.length > 0 ? (
        <p class="fault">
          {counted(view.problems.length, "directory")} below {view.root} cannot be read: <a href="#/doctor">doctor</a>
        </p>
      ) : null}
      {others.length > 0 ? (
        <details class="ended" open={live.length === 0}>
          <summary>{counted(others.length, "team")} where nobody is at work</summary>
          {others.map((team) => (
            <TeamRows key={team.name} team={team} q={q} />
          ))}
        </details>
      ) : null}
    </>
  );
}

const keyOf = (need: Need): string => {
  if (need.kind === "request") return `${need.team} ${need.request.id}`;
  return need.kind === "member" ? `${need.team} ${need.member.name}` : `${need.team} #${need.task.id}`;
};

const textsOf = (need: Need): readonly (string | null)[] => {
  if (need.kind === "request") return [need.request.from, need.request.tool, need.request.reason];
  return need.kind === "member" ? [need.member.name] : [need.task.subject, need.task.owner];
};

function NeedRow({ need }: { need: Need }) {
  const { team, at } = need;
  const parts = (() => {
    if (need.kind === "request") {
      const { request } = need;
      const what = request.kind === "plan" ? "wants a plan approved" : `asks to use ${request.tool}`;
      const more =
        request.kind === "plan" ? (request.plan?.split("\n")[0] ?? "").replace(/^#+ */, "") : (request.reason ?? "");
      return {
        to: hashOf({ screen: "requests", team, pick: request.id }),
        state: "needs_input",
        who: request.from,
        what,
        more,
      } as const;
    }
    if (need.kind === "member") {
      const { name, state, line } = need.member;
      const what = state === "lost" ? "runs no more" : "has failed";
      return { to: hashOf({ screen: "member", team, of: [name] }), state, who: name, what, more: line ?? "" } as const;
    }
    const { id, subject, owner } = need.task;
    const what = `holds #${id} and does not work on it`;
    return {
      to: hashOf({ screen: "board", team, pick: id }),
      state: "idle",
      who: owner ?? "",
      what,
      more: subject,
    } as const;
  })();
  return (
    <a class="need" href={parts.to} data-item>
      <span class={`state ${parts.state}`}>
        <i aria-hidden="true" />
      </span>
      <span class="what">
        <b>{parts.who}</b> {parts.what}
        <span class="more">{parts.more}</span>
      </span>
      <span class="where">{team}</span>
      <Age at={at} />
    </a>
  );
}

/** Of a larger team those are shown that a person has to look at first. */
const mostRows = 20;

/** One team with its members. */
function TeamRows({ team, q }: { team: TeamSummary; q: string }) {
  const { name, counts, members, problems } = team;
  const shown = byState(members).filter((one) => isFound(q, name, one.name, one.line, one.agentType));
  const all = counts.ready + counts.blocked + counts.in_progress + counts.completed;
  return (
    <section class="team" aria-label={`Team ${name}`}>
      <h2>
        <a href={hashOf({ screen: "board", team: name })} data-item>
          {name}
        </a>
        <small>{formWords[team.form ?? "none"]}</small>
        <span class="sum">
          {all === 0 ? "no tasks" : `${counts.completed} of ${counted(all, "task")} done`}
          {counts.in_progress > 0 ? `, ${counts.in_progress} in progress` : ""}
          {counts.blocked > 0 ? `, ${counts.blocked} blocked` : ""}
        </span>
      </h2>
      {problems.length > 0 ? (
        <p class="fault">
          {problems[0]?.file}: {problems[0]?.message}
          {problems.length > 1 ? `, and ${problems.length - 1} more` : ""}. <a href="#/doctor">What to do</a>
        </p>
      ) : null}
      {shown.length > 0 ? (
        <MemberTable team={name} members={shown.slice(0, mostRows)} />
      ) : (
        <Empty>No member that can be read.</Empty>
      )}
      {shown.length > mostRows ? (
        <p>
          <a href={hashOf({ screen: "members", team: name, q })} data-item>
            {shown.length - mostRows} more of {counted(members.length, "member")}
          </a>
        </p>
      ) : null}
    </section>
  );
}

const formWords = {
  "2026-02": "revision 2026-02",
  "2026-11": "revision 2026-11",
  between: "between the revisions, read only",
  none: "revision not known",
} as const;

/** Members, each with its state, since when, and what it did last. */
export function MemberTable({ team, members }: { team: string; members: readonly MemberView[] }) {
  return (
    <table class="members">
      <thead>
        <tr>
          <th scope="col">Member</th>
          <th scope="col">State</th>
          <th scope="col">Last</th>
          <th scope="col" class="wide">
            Agent
          </th>
          <th scope="col" class="number">
            Unread
          </th>
        </tr>
      </thead>
      <tbody>
        {members.map(({ name, color, isLead, state, since, source, line, agentType, model, unread }) => (
          <tr key={name}>
            <td>
              <Name team={team} name={name} color={color} />
              {isLead ? <small> lead</small> : null}
            </td>
            <td>
              <State state={state} since={since} source={source} />
            </td>
            <td class="last">{line ?? ""}</td>
            <td class="wide">{[agentType, model].filter((one) => one && one !== name).join(", ")}</td>
            <td class="number">{unread > 0 ? unread : ""}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
