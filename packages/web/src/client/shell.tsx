import { useEffect } from "preact/hooks";
import type { TeamsView, TeamView } from "../views.ts";
import { Board } from "./board.tsx";
import { Cost } from "./cost.tsx";
import { Doctor } from "./doctor.tsx";
import { Help } from "./help.tsx";
import { Member, Members } from "./member.tsx";
import { needsIn } from "./models/now.ts";
import { hashOf, type Screen, screens } from "./models/route.ts";
import { Now } from "./now.tsx";
import { Empty, Waiting } from "./parts.tsx";
import { amend, route } from "./place.ts";
import { Requests } from "./requests.tsx";
import { Threads } from "./threads.tsx";
import { Timeline } from "./timeline.tsx";
import { isHeard, isLocked, renewAll, useView } from "./views.ts";

const titles: Readonly<Record<(typeof screens)[number], string>> = {
  board: "Board",
  requests: "Requests",
  threads: "Threads",
  timeline: "Timeline",
  cost: "Cost",
  members: "Members",
};

/** The page: where one is, and what is shown there. */
export function Shell() {
  const { team } = route.value;
  const all = useView<TeamsView>("teams");
  if (isLocked.value) return <Locked />;
  const needs = all.data ? needsIn(all.data.teams).length : 0;
  document.title = `${needs > 0 ? `(${needs}) ` : ""}${team ?? "troupe"}`;
  return (
    <>
      <button type="button" class="skip" onClick={toMain}>
        To the content
      </button>
      <header>
        <a class="brand" href={hashOf({ screen: "now" })}>
          troupe
        </a>
        <input
          id="search"
          type="search"
          aria-label="Search"
          placeholder="Search  /"
          value={route.value.q}
          onInput={({ currentTarget }) => amend({ q: currentTarget.value })}
        />
        <span class="who">{all.data?.person ? `acting as ${all.data.person}` : "only looking"}</span>
      </header>
      {isHeard.value ? null : (
        <p class="banner" role="alert">
          The server is gone: this is what it said last.{" "}
          <button type="button" onClick={renewAll}>
            Try again
          </button>
        </p>
      )}
      <nav aria-label="Teams">
        <Rail all={all.data} needs={needs} />
      </nav>
      <main id="main" tabIndex={-1}>
        {all.data ? <Content all={all.data} /> : <Waiting fault={all.fault} />}
      </main>
      <Help />
    </>
  );
}

function toMain(): void {
  document.querySelector<HTMLElement>("#main")?.focus();
}

const currentIf = (isHere: boolean) => (isHere ? ("page" as const) : undefined);

function Rail({ all, needs }: { all: TeamsView | undefined; needs: number }) {
  const { screen, team: here } = route.value;
  useEffect(() => {
    // A narrow window has the names of the screens in one line, which goes on beyond it.
    document.querySelector('nav [aria-current="page"]')?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [screen, here, all === undefined]);
  return (
    <ul>
      <li>
        <a href={hashOf({ screen: "now" })} aria-current={currentIf(screen === "now")}>
          Now {needs > 0 ? <Count of={needs} /> : null}
        </a>
      </li>
      {(all?.teams ?? [])
        .filter(({ isLive, name }) => isLive || name === here)
        .map(({ name, requests }) => (
          <li key={name}>
            <a
              href={hashOf({ screen: "board", team: name })}
              class="of-team"
              aria-current={name === here ? "true" : undefined}
            >
              {name} {requests.length > 0 && name !== here ? <Count of={requests.length} /> : null}
            </a>
            {name === here ? (
              <ul>
                {screens.map((one) => (
                  <li key={one}>
                    <a
                      href={hashOf({ screen: one, team: name })}
                      aria-current={currentIf(screen === one || (one === "members" && screen === "member"))}
                    >
                      {titles[one]} {one === "requests" && requests.length > 0 ? <Count of={requests.length} /> : null}
                    </a>
                  </li>
                ))}
              </ul>
            ) : null}
          </li>
        ))}
      <li>
        <a href={hashOf({ screen: "doctor" })} aria-current={currentIf(screen === "doctor")}>
          Doctor
        </a>
      </li>
    </ul>
  );
}

const Count = ({ of }: { of: number }) => (
  <span class="count" title={`${of} for you`}>
    {of}
  </span>
);

function Content({ all }: { all: TeamsView }) {
  const { screen, team } = route.value;
  if (screen === "doctor") return <Doctor />;
  return team === undefined ? <Now view={all} /> : <OfTeam key={team} name={team} person={all.person} />;
}

function OfTeam({ name, person }: { name: string; person: string | null }) {
  const { screen, of } = route.value;
  const { data: team, fault } = useView<TeamView>(`team/${encodeURIComponent(name)}`);
  if (!team)
    return fault === undefined ? (
      <Waiting fault={undefined} />
    ) : (
      <>
        <h1>{name}</h1>
        <Empty>
          There is no team {name}: it was deleted, or never made. <code>troupe log {name}</code> shows what it recorded
          for a week. <a href={hashOf({ screen: "now" })}>All teams</a>
        </Empty>
      </>
    );
  return (
    <>
      {team.problems.length > 0 ? (
        <p class="fault" role="alert">
          {team.problems[0]?.file}: {team.problems[0]?.message}; {team.problems[0]?.fix}.{" "}
          <a href={hashOf({ screen: "doctor" })}>
            {team.problems.length > 1 ? `All ${team.problems.length} problems` : "Doctor"}
          </a>
        </p>
      ) : null}
      {team.form === "between" ? (
        <p class="hint">Files of this team are of both revisions: nothing can be changed in it.</p>
      ) : null}
      {screenOf(screen, team, of, team.form === "between" ? null : person)}
    </>
  );
}

function screenOf(screen: Screen, team: TeamView, of: readonly string[], person: string | null) {
  switch (screen) {
    case "requests":
      return <Requests team={team} person={person} />;
    case "threads":
      return <Threads team={team} person={person} />;
    case "timeline":
      return <Timeline team={team} />;
    case "cost":
      return <Cost team={team} />;
    case "members":
      return <Members team={team} />;
    case "member":
      return <Member team={team} name={of[0] ?? ""} person={person} />;
    default:
      return <Board team={team} person={person} />;
  }
}

const Locked = () => (
  <main class="locked">
    <h1>troupe</h1>
    <Empty>
      Open the address that <code>troupe web</code> has printed: it ends with a token that lets you in. Each run has
      another one.
    </Empty>
  </main>
);
