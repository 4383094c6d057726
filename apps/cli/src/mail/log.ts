import { TroupeError } from "@troupe/protocol";
import { type Message, type Overview, type RecordedEvent, readOverview } from "@troupe/store";
import { momentFrom } from "../age.ts";
import type { Answer, Call } from "../command.ts";
import { lookAt, openStore, unknownMember } from "../open.ts";
import type { Printed } from "../paint.ts";
import { taskDocument } from "../team/overview-document.ts";
import { memberSpan, problemText, statusSpan } from "../team/overview-text.ts";
import { historyOf, recordedIn } from "../watch/history.ts";
import { toldRecord } from "../watch/recorded.ts";
import { follow } from "../watch/watch.ts";
import { messageBody, messageDocument, messageHead, shownMessage, timeSpans } from "./message.ts";
import { openVouchers } from "./vouchers.ts";

type Shown = Omit<Overview, "problems">;

interface Event {
  readonly at: number;
  /** The member that did it; undefined where the files do not tell. */
  readonly by: string | undefined;
  /** Made where it is printed: of a hundred thousand messages it takes as long as their text. */
  readonly document: () => object;
  readonly text: readonly Printed[];
}

interface LogOptions {
  readonly follow?: boolean;
  readonly lines?: string;
  readonly since?: string;
  readonly from?: string;
}

export async function run(call: Call<{ team: string }, LogOptions>): Promise<Answer | undefined> {
  const { team: name } = call.args;
  const choose = choiceOf(call);
  const store = await openStore(call);
  const overview = await readOverview(store, name);
  const past = overview ? [] : await recordedIn(store.past(name));
  if (past.length > 0) return answer(call, choose(past.map(record)), []);
  const { problems, ...found } = overview ?? (await lookAt(call, name));
  const { from } = call.options;
  // A team whose config cannot be read has no history to open.
  const history = await historyOf(await store.openTeam(name).catch(() => undefined));
  const events = eventsOf(found, history);
  assertKnown(found, events, from);
  if (call.options.follow) {
    return follow(call, {
      begin: async (now, history) => {
        for (const { at, document, text } of choose(eventsOf(now, history)))
          await call.tell({ document: { at: moment(at), ...document() }, text });
      },
      shows: (by) => from === undefined || by === from,
    });
  }
  return answer(call, choose(events), problems);
}

/** A name that nobody has or had would look like a member that did nothing. */
function assertKnown({ team, members }: Shown, events: readonly Event[], from: string | undefined): void {
  if (from === undefined) return;
  const names = [...members.map(({ member }) => member.name), ...events.map(({ by }) => by)];
  if (!names.includes(from)) unknownMember(team, from, names);
}

function eventsOf(found: Shown, history: readonly RecordedEvent[]): Event[] {
  const vouchers = openVouchers();
  for (const recorded of history) vouchers.add(recorded);
  return [...beginnings(found), ...messages(found, vouchers.of), ...tasks(found), ...history.map(record)];
}

/** Puts events in order, and leaves those that the options ask for. */
function choiceOf({ options, now, isJson }: Call<object, LogOptions>): (events: readonly Event[]) => Event[] {
  const { lines, since, from } = options;
  const first = since === undefined ? -Infinity : momentFrom("--since", since, now());
  if (lines !== undefined && !/^\d+$/.test(lines))
    throw new TroupeError("arguments_invalid", `--lines needs a number, not ${JSON.stringify(lines)}`);
  return (events) => {
    const isShown = ({ text }: Event) => isJson || text.length > 0;
    const chosen = events.filter((one) => one.at >= first && (from ?? one.by) === one.by && isShown(one));
    const ordered = chosen.sort((a, b) => a.at - b.at);
    return lines === undefined ? ordered : ordered.slice(Math.max(0, ordered.length - Number(lines)));
  };
}

function answer(
  { args: { team }, isJson }: Call<{ team: string }, LogOptions>,
  events: readonly Event[],
  problems: Overview["problems"],
): Answer {
  if (!isJson) return { text: [...events.flatMap(({ text }) => text), ...problemText(problems)] };
  return {
    document: { team, events: events.map(({ at, document }) => ({ at: moment(at), ...document() })), problems },
  };
}

function record(recorded: RecordedEvent): Event {
  const at = Date.parse(recorded.at);
  const { document, line } = toldRecord(recorded);
  return { at, by: recorded.by, document: () => document, text: line ? [[...timeSpans(at), ...line]] : [] };
}

/** Events that the config shows; an event without a known time is left out. */
function beginnings({ team, createdAt, members }: Shown): Event[] {
  const made = (at: number): Event => ({
    at,
    by: undefined,
    document: () => ({ event: "team_created", team }),
    text: [[...timeSpans(at), { text: team, style: "bold" }, " was created"]],
  });
  return [
    ...(createdAt === undefined ? [] : [made(createdAt)]),
    ...members.flatMap(({ member, isLead }): Event[] => {
      const { name, joinedAt = createdAt, agentType = "", color } = member;
      if (isLead || joinedAt === undefined) return [];
      const text: Printed = [...timeSpans(joinedAt), memberSpan(name, color), ` joined  ${agentType}`];
      const document = () => ({ event: "member_joined", member: name });
      return [{ at: joinedAt, by: name, document, text: [text] }];
    }),
  ];
}

function messages(
  { form, createdAt = 0, mail }: Shown,
  vouchedBy: (to: string, message: Message) => string | null,
): Event[] {
  return mail.flatMap(({ agent, messages }) => {
    // A message whose time cannot be parsed is placed after the one before it.
    let last = createdAt;
    return messages.map((one): Event => {
      const { key, entry } = one;
      const at = Date.parse(entry.timestamp);
      if (!Number.isNaN(at)) last = at;
      const message = shownMessage(entry, form);
      return {
        at: last,
        by: entry.from,
        document: () => ({
          event: "message",
          to: agent,
          vouchedBy: vouchedBy(agent, one),
          ...messageDocument(key, entry, form),
        }),
        text: [[...timeSpans(last), ...messageHead(entry, agent, message.line)], ...messageBody(message)],
      };
    });
  });
}

const tasks = ({ tasks }: Shown): Event[] =>
  tasks.map(({ task, changedAt: at, openBlockers }) => {
    const owner = task.owner ? `  ${task.owner}` : "";
    const text: Printed = [
      ...timeSpans(at),
      `#${task.id} `,
      statusSpan(task.status),
      `  ${task.subject ?? ""}${owner}`,
    ];
    const document = () => ({ event: "task", task: taskDocument(task, openBlockers) });
    return { at, by: task.owner, document, text: [text] };
  });

/** Some writers put numbers there that are not valid times. */
const moment = (at: number): string => new Date(Math.min(Math.max(at, 0), 8.64e15)).toISOString();
