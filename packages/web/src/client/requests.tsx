import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RequestView, TeamView } from "../views.ts";
import { isFound } from "./models/find.ts";
import { counted } from "./models/words.ts";
import { Age, Diff, Empty, Name } from "./parts.tsx";
import { route } from "./place.ts";
import { act } from "./views.ts";

/** What members ask, with all that a person must see to answer. */
export function Requests({ team, person }: { team: TeamView; person: string | null }) {
  const { q, pick } = route.value;
  const [said, tell] = useState<readonly string[]>([]);
  const shown = team.requests.filter(({ from, tool, reason, plan }) => isFound(q, from, tool, reason, plan));
  return (
    <>
      <h1>
        Requests <small>{shown.length === 0 ? "nothing waits" : `${counted(shown.length, "request")} for you`}</small>
      </h1>
      <div role="status" class="said">
        {said.map((words) => (
          <p key={words}>{words}</p>
        ))}
      </div>
      {shown.length === 0 ? <Empty>No member of {team.name} asks for anything.</Empty> : null}
      {shown.map((request) => (
        <Request
          key={request.id}
          request={request}
          team={team}
          person={person}
          isChosen={request.id === pick}
          tell={(words) => tell((before) => [...before.slice(-2), words])}
        />
      ))}
    </>
  );
}

const words = {
  plan: { allowed: "Approve", denied: "Reject", commands: ["plan approve", "plan reject"] },
  permission: { allowed: "Allow", denied: "Deny", commands: ["permission allow", "permission deny"] },
} as const;

interface RequestProps {
  readonly request: RequestView;
  readonly team: TeamView;
  readonly person: string | null;
  readonly isChosen: boolean;
  readonly tell: (words: string) => void;
}

function Request({ request, team, person, isChosen, tell }: RequestProps) {
  const { id, kind, from, at, tool, reason, fields, diff, plan, path, digest, canAnswer } = request;
  const [note, write] = useState("");
  const [isBusy, work] = useState(false);
  const box = useRef<HTMLElement>(null);
  // Before it is seen: later it would take the focus from who has pressed a key already.
  useLayoutEffect(() => {
    if (isChosen) box.current?.focus();
  }, [isChosen]);
  const color = team.members.find(({ name }) => name === from)?.color ?? null;

  async function answer(decision: "allowed" | "denied"): Promise<void> {
    work(true);
    const said = await act(team.name, "answer", { request: id, of: kind, decision, note });
    work(false);
    tell(`${said.isDone ? "" : "Not done: "}${said.words}`);
  }

  return (
    <article class="request" data-item tabIndex={-1} ref={box} aria-label={`${kind} asked by ${from}`}>
      <h2>
        <span class="state needs_input">
          <i aria-hidden="true" />
        </span>
        <Name team={team.name} name={from} color={color} />
        <span>{kind === "plan" ? "wants to carry out a plan" : `asks to use ${tool}`}</span>
        <Age at={at} />
      </h2>
      {reason ? <p>{reason}</p> : null}
      {fields.length > 0 ? (
        <dl class="fields">
          {fields.map(({ name, text }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      {diff ? <Diff lines={diff} /> : null}
      {plan === null ? null : <div class="text">{plan}</div>}
      {path === null ? null : (
        <p class="hint">
          {path}
          {digest === null ? "" : `, digest ${digest.slice(0, 12)}`}
        </p>
      )}
      {canAnswer && person !== null ? (
        <div class="acts">
          <label class="note">
            Note
            <input
              value={note}
              placeholder={`what ${from} is told besides`}
              onInput={({ currentTarget }) => write(currentTarget.value)}
            />
          </label>
          <button type="button" class="main" data-key="a" disabled={isBusy} onClick={() => answer("allowed")}>
            {words[kind].allowed}
          </button>
          <button type="button" data-key="r" disabled={isBusy} onClick={() => answer("denied")}>
            {words[kind].denied}
          </button>
          {isBusy ? <span role="status">waits until {from} has heard it …</span> : null}
        </div>
      ) : null}
      {canAnswer && person === null ? (
        <p class="hint">
          This page only looks. In a terminal:{" "}
          <code>
            troupe {words[kind].commands[0]} {team.name} {id}
          </code>
          , or open the page with <code>troupe web --write</code>.
        </p>
      ) : null}
      {canAnswer ? null : <p class="fault">This cannot be shown whole here, so it is answered at the lead's screen.</p>}
    </article>
  );
}
