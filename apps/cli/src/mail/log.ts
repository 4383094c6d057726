import { type InboxEntry, TroupeError } from "@troupe/protocol";
import { type Message, type Overview, type RecordedEvent, readOverview } from "@troupe/store";
import { momentFrom } from "../age.ts";
import type { Answer, Call } from "../command.ts";
import { lookAt, openStore, unknownMember } from "../open.ts";
import type { Printed, Span } from "../paint.ts";
import { taskDocument } from "../team/overview-document.ts";
import { memberSpan, problemText, statusSpan } from "../team/overview-text.ts";
import { historyOf, recordedIn } from "../watch/history.ts";
import { toldRecord } from "../watch/recorded.ts";
import { follow } from "../watch/watch.ts";
import { messageBody, messageDocument, messageHead, shownMessage, timeSpans } from "./message.ts";
import { openVouchers } from "./vouchers.ts";

type Shown = Omit<Overview, "problems">;

/** What is told of events of one kind, by their index; made where it is printed. */
interface Told {
  document(index: number): object;
  /** Nothing for what is no line of the log. */
  text(index: number): readonly Printed[];
}

interface Event {
  readonly at: number;
  /** The member that did it; undefined where the files do not tell. */
  readonly by: string | undefined;
  readonly told: Told;
  readonly index: number;
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
  if (past.length > 0) return answer(call, choose(records(past)), []);
  const { problems, ...found } = overview ?? (await lookAt(call, name));
  const { from } = call.options;
  // A team whose config cannot be read has no history to open.
  const history = await historyOf(await store.openTeam(name).catch(() => undefined));
  const events = eventsOf(found, history);
  assertKnown(found, events, from);
  if (call.options.follow) {
    return follow(call, {
      begin: async (now, history) => {
        for (const event of choose(eventsOf(now, history)))
          await call.tell({ document: eventDocument(event), text: event.told.text(event.index) });
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
  return [...beginnings(found), ...messages(found, vouchers.of), ...tasks(found), ...records(history)];
}

/** Puts events in order, and leaves those that the options ask for. */
function choiceOf({ options, now, isJson }: Call<object, LogOptions>): (events: readonly Event[]) => Event[] {
  const { lines, since, from } = options;
  const first = since === undefined ? -Infinity : momentFrom("--since", since, now());
  if (lines !== undefined && !/^\d+$/.test(lines))
    throw new TroupeError("arguments_invalid", `--lines needs a number, not ${JSON.stringify(lines)}`);
  return (events) => {
    // Only what was recorded may have no line, and what is counted are lines.
    const isShown = ({ told, index }: Event) => isJson || lines === undefined || told.text(index).length > 0;
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
  if (!isJson) return { text: logText(events, problems) };
  return {
    document: { team, events: events.map(eventDocument), problems },
  };
}

const eventDocument = ({ at, told, index }: Event): object => ({ at: moment(at), ...told.document(index) });

function* logText(events: readonly Event[], problems: Overview["problems"]): Generator<Printed> {
  for (const { told, index } of events) yield* told.text(index);
  yield* problemText(problems);
}

function records(history: readonly RecordedEvent[]): Event[] {
  const told: Told = {
    document: (index) => toldRecord(history[index] as RecordedEvent).document,
    text(index) {
      const recorded = history[index] as RecordedEvent;
      const { line } = toldRecord(recorded);
      return line ? [[...timeSpans(recorded.at), ...line]] : [];
    },
  };
  return history.map(({ at, by }, index) => ({ at: Date.parse(at), by, told, index }));
}

/** Events that the config shows; an event without a known time is left out. */
function beginnings({ team, createdAt, members }: Shown): Event[] {
  const one = (at: number, by: string | undefined, document: object, spans: readonly Span[]): Event => {
    const told = { document: () => document, text: () => [[...timeSpans(at), ...spans]] };
    return { at, by, told, index: 0 };
  };
  const made = [{ text: team, style: "bold" }, " was created"] as const;
  return [
    ...(createdAt === undefined ? [] : [one(createdAt, undefined, { event: "team_created", team }, made)]),
    ...members.flatMap(({ member, isLead }): Event[] => {
      const { name, joinedAt = createdAt, agentType = "", color } = member;
      if (isLead || joinedAt === undefined) return [];
      const spans = [memberSpan(name, color), ` joined  ${agentType}`];
      return [one(joinedAt, name, { event: "member_joined", member: name }, spans)];
    }),
  ];
}

const messages = (
  { form, createdAt = 0, mail }: Shown,
  vouchedBy: (to: string, message: Message) => string | null,
): Event[] =>
  mail.flatMap((inbox) => {
    const { agent, entries } = inbox;
    // A message whose time cannot be parsed is placed after the one before it.
    let last = createdAt;
    const times = entries.map(({ timestamp }) => {
      const at = Date.parse(timestamp);
      if (!Number.isNaN(at)) last = at;
      return last;
    });
    const told: Told = {
      document(index) {
        const message = inbox.messages[index] as Message;
        const { key, entry } = message;
        return {
          event: "message",
          to: agent,
          vouchedBy: vouchedBy(agent, message),
          ...messageDocument(key, entry, form),
        };
      },
      text(index) {
        const entry = entries[index] as InboxEntry;
        const message = shownMessage(entry, form);
        const head = messageHead(entry, agent, message.line);
        return [[...timeSpans(times[index] as number), ...head], ...messageBody(message)];
      },
    };
    return entries.map(({ from }, index) => ({ at: times[index] as number, by: from, told, index }));
  });

function tasks({ tasks }: Shown): Event[] {
  const told: Told = {
    document(index) {
      const { task, openBlockers } = tasks[index] as Overview["tasks"][number];
      return { event: "task", task: taskDocument(task, openBlockers) };
    },
    text(index) {
      const { task, changedAt } = tasks[index] as Overview["tasks"][number];
      const owner = task.owner ? `  ${task.owner}` : "";
      const what = [`#${task.id} `, statusSpan(task.status), `  ${task.subject ?? ""}${owner}`];
      return [[...timeSpans(changedAt), ...what]];
    },
  };
  return tasks.map(({ task, changedAt }, index) => ({ at: changedAt, by: task.owner, told, index }));
}

/** Some writers put numbers there that are not valid times. */
const moment = (at: number): string => new Date(Math.min(Math.max(at, 0), 8.64e15)).toISOString();
