import { isUnread, type Member, type Task } from "@troupe/protocol";
import type { Message } from "@troupe/protocol/rules";
import type { LocatedProblem } from "../store.ts";
import type { Overview } from "./overview.ts";

/** Something that is otherwise than it was at the look before. */
export type OverviewChange =
  | { readonly kind: "member_joined" | "member_left"; readonly member: Member }
  | { readonly kind: "member_changed"; readonly member: Member; readonly isActive: boolean }
  | { readonly kind: "messages_taken"; readonly agent: string; readonly count: number }
  | { readonly kind: "message"; readonly to: string; readonly message: Message }
  | {
      readonly kind: "task";
      /** Undefined for a new one. */
      readonly before: Task | undefined;
      readonly task: Task;
      readonly openBlockers: readonly string[];
    }
  | { readonly kind: "task_deleted"; readonly task: Task }
  | { readonly kind: "problem"; readonly problem: LocatedProblem };

/** The events between two looks at a team, in the order in which they are best told. */
export const changesBetween = (before: Overview, after: Overview): OverviewChange[] => [
  ...memberChanges(before, after),
  ...mailChanges(before, after),
  ...taskChanges(before, after),
  ...newProblems(before, after),
];

function memberChanges(before: Overview, after: Overview): OverviewChange[] {
  const was = new Map(before.members.map(({ member }) => [member.name, member]));
  const is = new Map(after.members.map(({ member }) => [member.name, member]));
  const changed = [...is.values()].flatMap((member): OverviewChange[] => {
    const { name, isActive } = member;
    if (!was.has(name)) return [{ kind: "member_joined", member }];
    if (isActive === undefined || was.get(name)?.isActive === isActive) return [];
    return [{ kind: "member_changed", member, isActive }];
  });
  const left = [...was.values()].filter(({ name }) => !is.has(name));
  return [...changed, ...left.map((member) => ({ kind: "member_left" as const, member }))];
}

function mailChanges(before: Overview, after: Overview): OverviewChange[] {
  const had = new Map(before.mail.map(({ agent, messages }) => [agent, messages]));
  const has = new Map(after.mail.map(({ agent, messages }) => [agent, messages]));
  const changed = [...new Set([...had.keys(), ...has.keys()])].filter((agent) => had.get(agent) !== has.get(agent));
  return changed.flatMap((agent): OverviewChange[] => {
    const [was, is] = [byKey(had.get(agent)), byKey(has.get(agent))];
    const waits = (key: string) => {
      const message = is.get(key);
      return message !== undefined && isUnread(message.entry);
    };
    const count = [...was].filter(([key, { entry }]) => isUnread(entry) && !waits(key)).length;
    const arrived = [...is.values()].filter(({ key }) => !was.has(key));
    return [
      ...(count > 0 ? [{ kind: "messages_taken" as const, agent, count }] : []),
      ...arrived.map((message) => ({ kind: "message" as const, to: agent, message })),
    ];
  });
}

function taskChanges(before: Overview, after: Overview): OverviewChange[] {
  const was = new Map(before.tasks.map(({ task }) => [task.id, task]));
  const known = new Set([...after.tasks.map(({ task }) => task.id), ...after.unreadable]);
  const changed = after.tasks.filter(
    ({ task }) => task !== was.get(task.id) && JSON.stringify(task) !== JSON.stringify(was.get(task.id)),
  );
  return [
    ...changed.map(({ task, openBlockers }) => ({
      kind: "task" as const,
      before: was.get(task.id),
      task,
      openBlockers,
    })),
    ...[...was.values()].filter(({ id }) => !known.has(id)).map((task) => ({ kind: "task_deleted" as const, task })),
  ];
}

function newProblems(before: Overview, after: Overview): OverviewChange[] {
  const known = new Set(before.problems.map((problem) => JSON.stringify(problem)));
  return after.problems
    .filter((problem) => !known.has(JSON.stringify(problem)))
    .map((problem) => ({ kind: "problem", problem }));
}

const byKey = (messages: readonly Message[] = []): Map<string, Message> =>
  new Map(messages.map((message) => [message.key, message]));
