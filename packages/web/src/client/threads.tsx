import { useEffect, useState } from "preact/hooks";
import type { MessagesView, MessageView, TeamView, ThreadView } from "../views.ts";
import { isFound } from "./models/find.ts";
import { hashOf } from "./models/route.ts";
import { counted, timeText } from "./models/words.ts";
import { Age, Empty, Waiting } from "./parts.tsx";
import { route } from "./place.ts";
import { SendForm } from "./send-form.tsx";
import { now } from "./stream.ts";
import { useView } from "./views.ts";
import { Windowed } from "./windowed.tsx";

/** All conversations of a team, and the one that is chosen. */
export function Threads({ team, person }: { team: TeamView; person: string | null }) {
  const { of, q } = route.value;
  const { data, fault } = useView<readonly ThreadView[]>(`team/${encodeURIComponent(team.name)}/threads`);
  if (!data) return <Waiting fault={fault} />;
  const shown = data.filter(({ between, last }) => isFound(q, ...between, last.line));
  const [one, other] = of;
  return (
    <>
      <h1>
        Threads <small>{counted(data.length, "conversation")}</small>
      </h1>
      {person === null ? null : <SendForm team={team} />}
      {data.length === 0 ? <Empty>Nobody has written to anybody yet.</Empty> : null}
      <div class={one === undefined ? "threads" : "threads open"}>
        <div class="list">
          <Windowed
            label="Conversations"
            items={shown}
            rowHeight={72}
            keyOf={({ between }) => between.join("/")}
            row={({ between, total, unread, last }) => (
              <a
                href={hashOf({ screen: "threads", team: team.name, of: between, q })}
                data-item
                aria-current={between[0] === one && between[1] === other ? "true" : undefined}
              >
                <b>{between.join(" — ")}</b>
                <Age at={last.at} />
                <span class="more">{last.line}</span>
                <small>
                  {counted(total, "message")}
                  {unread > 0 ? `, ${unread} not read` : ""}
                </small>
              </a>
            )}
          />
        </div>
        {one !== undefined && other !== undefined ? (
          <Thread key={of.join("/")} team={team.name} one={one} other={other} />
        ) : null}
      </div>
    </>
  );
}

/** So many pages of earlier messages stand on the page at once; the newest is another. */
const mostPages = 3;

function Thread({ team, one, other }: { team: string; one: string; other: string }) {
  const path = `team/${[team, "thread", one, other].map(encodeURIComponent).join("/")}`;
  const { data, fault } = useView<MessagesView>(path);
  const [asked, ask] = useState<string>();
  const page = useView<MessagesView>(asked === undefined ? undefined : `${path}?before=${encodeURIComponent(asked)}`);
  const [earlier, keep] = useState<readonly MessagesView[]>([]);
  useEffect(() => {
    if (page.data && asked !== undefined) keep((before) => [page.data as MessagesView, ...before].slice(0, mostPages));
    if (page.data) ask(undefined);
  }, [page.data, asked]);
  if (!data) return <Waiting fault={fault} />;
  const shown = earlier.length < mostPages ? [...earlier, data] : earlier;
  const before = shown[0]?.before ?? null;
  return (
    <section class="messages" aria-label={`${one} and ${other}`} tabIndex={0}>
      <p class="hint">{counted(data.total, "message")}</p>
      {before === null ? null : (
        <button type="button" data-item onClick={() => ask(before)}>
          Earlier messages
        </button>
      )}
      {shown.flatMap(({ messages }) => messages.map((message) => <Message key={message.key} message={message} />))}
      {earlier.length === 0 ? null : (
        <button type="button" data-item onClick={() => keep([])}>
          Back to the newest
        </button>
      )}
    </section>
  );
}

/** A message; one of the protocol is named by its type. */
function Message({ message }: { message: MessageView }) {
  const { from, to, at, kind, line, text, isUnread, isVouched } = message;
  return (
    <article class={isUnread ? "message unread" : "message"}>
      <h2>
        <b>{from}</b> to {to}
        {kind === "text" ? null : <em class="chip">{kind.replaceAll("_", " ")}</em>}
        <time dateTime={at}>{timeText(at, now.value)}</time>
        <small title={isVouched ? "its sender recorded that it sent this" : "nobody recorded to have sent this"}>
          {isUnread ? "not read" : "read"}
          {isVouched ? "" : ", not vouched for"}
        </small>
      </h2>
      <p>{line}</p>
      {text === "" ? null : <div class="text">{text}</div>}
    </article>
  );
}
