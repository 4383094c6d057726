import { entryKeys, isUnread, type Task } from "@troupe/protocol";
import { messageBody, messageDocument, messageHead, shownMessage } from "../mail/message.ts";
import { type Block, counted, type Span } from "../paint.ts";
import type { Overview } from "../team/overview.ts";
import { taskDocument } from "../team/overview-document.ts";
import { memberSpan, statusSpan } from "../team/overview-text.ts";

/** Something that is otherwise than it was. */
export interface Change {
  readonly document: { readonly event: string; readonly [field: string]: unknown };
  readonly line: readonly Span[];
  readonly more: readonly Block[];
}

/** What happened between two looks at a team, in the order in which it is best told. */
export const changesBetween = (before: Overview, after: Overview): Change[] => [
  ...memberChanges(before, after),
  ...mailChanges(before, after),
  ...taskChanges(before, after),
  ...newProblems(before, after),
];

function memberChanges(before: Overview, after: Overview): Change[] {
  const was = new Map(before.members.map(({ member }) => [member.name, member]));
  const is = new Map(after.members.map(({ member }) => [member.name, member]));
  const joined = [...is.values()].flatMap(({ name, color, isActive }): Change[] => {
    if (!was.has(name)) return [change({ event: "member_joined", member: name }, [memberSpan(name, color), " joined"])];
    if (isActive === undefined || was.get(name)?.isActive === isActive) return [];
    const state = isActive ? " works" : " is idle";
    return [change({ event: "member_changed", member: name, isActive }, [memberSpan(name, color), state])];
  });
  const left = [...was.values()].filter(({ name }) => !is.has(name));
  return [
    ...joined,
    ...left.map(({ name, color }) =>
      change({ event: "member_left", member: name }, [memberSpan(name, color), " left"]),
    ),
  ];
}

function mailChanges(before: Overview, after: Overview): Change[] {
  const inboxes = new Map(before.mail.map(({ agent, entries }) => [agent, byKey(entries)]));
  for (const { agent } of after.mail) if (!inboxes.has(agent)) inboxes.set(agent, new Map());
  return [...inboxes].flatMap(([agent, was]) => {
    const is = byKey(after.mail.find((one) => one.agent === agent)?.entries ?? []);
    const arrived = [...is].filter(([key]) => !was.has(key));
    const waits = (key: string) => {
      const entry = is.get(key);
      return entry !== undefined && isUnread(entry);
    };
    const count = [...was].filter(([key, entry]) => isUnread(entry) && !waits(key)).length;
    const taken = [memberSpan(agent, undefined), ` has read ${counted(count, "message")}`];
    return [
      ...(count > 0 ? [change({ event: "messages_taken", member: agent, count }, taken)] : []),
      ...arrived.map(([key, entry]) => {
        const message = shownMessage(entry, after.form);
        const document = { event: "message", to: agent, ...messageDocument(key, entry, after.form) };
        return { document, line: messageHead(entry, agent, message.line), more: messageBody(message) };
      }),
    ];
  });
}

function taskChanges(before: Overview, after: Overview): Change[] {
  const was = new Map(before.tasks.map(({ task }) => [task.id, task]));
  const is = new Set(after.tasks.map(({ task }) => task.id));
  const damaged = new Set(after.problems.map(({ file }) => file));
  const changed = after.tasks.filter(({ task }) => JSON.stringify(task) !== JSON.stringify(was.get(task.id)));
  return [
    ...changed.map(({ task, openBlockers }) =>
      change({ event: "task", task: taskDocument(task, openBlockers) }, taskLine(was.get(task.id), task, openBlockers)),
    ),
    ...[...was.values()]
      .filter(({ id }) => !is.has(id) && !damaged.has(`tasks/${after.team}/${id}.json`))
      .map(({ id, subject = "" }) => change({ event: "task_deleted", id }, [`#${id} ${subject} was deleted`])),
  ];
}

function taskLine(was: Task | undefined, task: Task, openBlockers: readonly string[]): Span[] {
  const { id, status, subject = "", owner } = task;
  const step = was && was.status !== status ? [statusSpan(was.status), " -> "] : [];
  const waits = openBlockers.length > 0 ? `  waits for ${openBlockers.map((one) => `#${one}`).join(", ")}` : "";
  const fields = was && status === was.status ? `  (${changedFields(was, task).join(", ")})` : "";
  return [`#${id} `, ...step, statusSpan(status), `  ${subject}`, owner ? `  ${owner}` : "", waits, fields];
}

const changedFields = (was: Task, is: Task): string[] =>
  [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (field) => JSON.stringify(was[field]) !== JSON.stringify(is[field]),
  );

function newProblems(before: Overview, after: Overview): Change[] {
  const known = new Set(before.problems.map((problem) => JSON.stringify(problem)));
  return after.problems
    .filter((problem) => !known.has(JSON.stringify(problem)))
    .map((problem) => ({
      document: { event: "problem", problem },
      line: [{ text: "problem", style: "red" } as const, ` ${problem.file}: ${problem.message}`],
      more: [`    to mend it: ${problem.fix}`],
    }));
}

const change = (document: Change["document"], line: readonly Span[]): Change => ({ document, line, more: [] });

const byKey = (entries: Overview["mail"][number]["entries"]) => {
  const keys = entryKeys(entries);
  return new Map(entries.map((entry, index) => [keys[index] ?? "", entry]));
};
