import { statSync } from "node:fs";
import { entryKeys, layoutOf } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { lookAt } from "../open.ts";
import type { Block } from "../paint.ts";
import type { Overview } from "../team/overview.ts";
import { taskDocument } from "../team/overview-document.ts";
import { memberSpan, statusSpan } from "../team/overview-text.ts";
import { messageBody, messageDocument, messageHead, shownMessage, timeSpans } from "./message.ts";

interface Event {
  readonly at: number;
  readonly document: object;
  readonly text: readonly Block[];
}

export async function run(call: Call<{ team: string }>): Promise<Answer> {
  const overview = await lookAt(call, call.args.team);
  const paths = layoutOf(call.root).team(overview.team);
  const changedAt = (id: string) => statSync(paths.task(id), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const events = [...beginnings(overview), ...messages(overview), ...tasks(overview, changedAt)];
  events.sort((a, b) => a.at - b.at);
  return {
    document: {
      team: overview.team,
      events: events.map(({ at, document }) => ({ at: moment(at), ...document })),
    },
    text: events.flatMap(({ text }) => text),
  };
}

function beginnings({ team, createdAt = 0, members }: Overview): Event[] {
  const made = {
    at: createdAt,
    document: { event: "team_created", team },
    text: [[...timeSpans(createdAt), { text: team, style: "bold" }, " was made"]],
  } as const;
  return [
    made,
    ...members.flatMap(({ member, isLead }): Event[] => {
      const { name, joinedAt = createdAt, agentType = "", color } = member;
      if (isLead) return [];
      const text: Block = [...timeSpans(joinedAt), memberSpan(name, color), ` joined  ${agentType}`];
      return [{ at: joinedAt, document: { event: "member_joined", member: name }, text: [text] }];
    }),
  ];
}

function messages({ form, createdAt = 0, mail }: Overview): Event[] {
  return mail.flatMap(({ agent, entries }) => {
    const keys = entryKeys(entries);
    // One whose time cannot be read stands behind the one before it.
    let last = createdAt;
    return entries.map((entry, index): Event => {
      const at = Date.parse(entry.timestamp);
      if (!Number.isNaN(at)) last = at;
      const message = shownMessage(entry, form);
      return {
        at: last,
        document: { event: "message", to: agent, ...messageDocument(keys[index] ?? "", entry, form) },
        text: [[...timeSpans(last), ...messageHead(entry, agent, message.line)], ...messageBody(message)],
      };
    });
  });
}

const tasks = ({ tasks }: Overview, changedAt: (id: string) => number): Event[] =>
  tasks.map(({ task, openBlockers }) => {
    const at = changedAt(task.id);
    const owner = task.owner ? `  ${task.owner}` : "";
    const text: Block = [...timeSpans(at), `#${task.id} `, statusSpan(task.status), `  ${task.subject ?? ""}${owner}`];
    return { at, document: { event: "task", task: taskDocument(task, openBlockers) }, text: [text] };
  });

/** Some writers put numbers there that are no moments. */
const moment = (at: number): string => new Date(Math.min(Math.max(at, 0), 8.64e15)).toISOString();
