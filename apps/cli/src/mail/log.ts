import type { Overview } from "@troupe/store";
import type { Answer, Call } from "../command.ts";
import { lookAt } from "../open.ts";
import type { Printed } from "../paint.ts";
import { taskDocument } from "../team/overview-document.ts";
import { memberSpan, problemText, statusSpan } from "../team/overview-text.ts";
import { messageBody, messageDocument, messageHead, shownMessage, timeSpans } from "./message.ts";

interface Event {
  readonly at: number;
  readonly document: object;
  readonly text: readonly Printed[];
}

export async function run(call: Call<{ team: string }>): Promise<Answer> {
  const overview = await lookAt(call, call.args.team);
  const events = [...beginnings(overview), ...messages(overview), ...tasks(overview)];
  events.sort((a, b) => a.at - b.at);
  return {
    document: {
      team: overview.team,
      events: events.map(({ at, document }) => ({ at: moment(at), ...document })),
      problems: overview.problems,
    },
    text: [...events.flatMap(({ text }) => text), ...problemText(overview.problems)],
  };
}

/** Events that the config shows; an event without a known time is left out. */
function beginnings({ team, createdAt, members }: Overview): Event[] {
  const made = (at: number): Event => ({
    at,
    document: { event: "team_created", team },
    text: [[...timeSpans(at), { text: team, style: "bold" }, " was created"]],
  });
  return [
    ...(createdAt === undefined ? [] : [made(createdAt)]),
    ...members.flatMap(({ member, isLead }): Event[] => {
      const { name, joinedAt = createdAt, agentType = "", color } = member;
      if (isLead || joinedAt === undefined) return [];
      const text: Printed = [...timeSpans(joinedAt), memberSpan(name, color), ` joined  ${agentType}`];
      return [{ at: joinedAt, document: { event: "member_joined", member: name }, text: [text] }];
    }),
  ];
}

function messages({ form, createdAt = 0, mail }: Overview): Event[] {
  return mail.flatMap(({ agent, messages }) => {
    // A message whose time cannot be parsed is placed after the one before it.
    let last = createdAt;
    return messages.map(({ key, entry }): Event => {
      const at = Date.parse(entry.timestamp);
      if (!Number.isNaN(at)) last = at;
      const message = shownMessage(entry, form);
      return {
        at: last,
        document: { event: "message", to: agent, ...messageDocument(key, entry, form) },
        text: [[...timeSpans(last), ...messageHead(entry, agent, message.line)], ...messageBody(message)],
      };
    });
  });
}

const tasks = ({ tasks }: Overview): Event[] =>
  tasks.map(({ task, changedAt: at, openBlockers }) => {
    const owner = task.owner ? `  ${task.owner}` : "";
    const text: Printed = [
      ...timeSpans(at),
      `#${task.id} `,
      statusSpan(task.status),
      `  ${task.subject ?? ""}${owner}`,
    ];
    return { at, document: { event: "task", task: taskDocument(task, openBlockers) }, text: [text] };
  });

/** Some writers put numbers there that are not valid times. */
const moment = (at: number): string => new Date(Math.min(Math.max(at, 0), 8.64e15)).toISOString();
