import { asOption, type Command, defineCommand, exactTeamArg, idArg, teamArg, yesOption } from "../command.ts";

const edgeOptions = {
  "blocked-by": {
    value: "ID",
    isRepeated: true,
    summary: "the task waits for this one; separate several with commas, or repeat the option",
    completes: "task",
  },
  blocks: {
    value: "ID",
    isRepeated: true,
    summary: "this task waits for the task; separate several with commas, or repeat the option",
    completes: "task",
  },
} as const;
const partingOptions = {
  "not-blocked-by": {
    value: "ID",
    isRepeated: true,
    summary: "the task waits for this one no more",
    completes: "task",
  },
  "not-blocks": { value: "ID", isRepeated: true, summary: "this task waits for the task no more", completes: "task" },
} as const;
const wordOptions = {
  description: { value: "TEXT", summary: "details; - reads them from standard input" },
  "active-form": { value: "TEXT", summary: "what is shown while the task is in progress" },
  owner: { value: "MEMBER", summary: "the member who works on it", completes: "member" },
  metadata: { value: "JSON", summary: "an object, merged key by key; null removes a key" },
} as const;

/** The commands about tasks. */
export const taskCommands: readonly Command[] = [
  defineCommand({
    name: "task list",
    summary: "list the tasks of a team, and what they wait for",
    details:
      "If no team has that name, the command shows the task list of that name: that of a session, or of a team that is gone. The other task commands accept such names too.",
    args: [teamArg],
    options: {
      ready: { summary: "only tasks that can be claimed now" },
      owner: { value: "MEMBER", summary: "only tasks of this member", completes: "member" },
      status: {
        value: "STATUS",
        choices: ["pending", "in_progress", "completed"],
        summary: "only tasks in this state",
      },
      watch: { summary: "show the list again after each change, until Ctrl-C or the end of the team", isLive: true },
    },
    examples: [
      ["troupe task list parser-team", "all of them"],
      ["troupe task list parser-team --ready", "what can be started now"],
      ["troupe task list parser-team --watch", "the list, and again whenever a task changes"],
    ],
    load: () => import("./list.ts"),
  }),
  defineCommand({
    name: "task show",
    summary: "show one task in full",
    args: [teamArg, idArg],
    options: {},
    examples: [["troupe task show parser-team 3", "its description, its owner, what it waits for"]],
    load: () => import("./show.ts"),
  }),
  defineCommand({
    name: "task create",
    summary: "create a task",
    args: [teamArg, { name: "subject", summary: 'what is to be done, as an instruction: "Write the parser"' }],
    options: { ...wordOptions, ...edgeOptions, as: asOption },
    examples: [
      ['troupe task create parser-team "Write the parser"', "prints its id"],
      ['troupe task create parser-team "Test it" --blocked-by 1 --owner alice', "alice is notified that it is hers"],
    ],
    load: () => import("./create.ts"),
  }),
  defineCommand({
    name: "task update",
    summary: "change the text, state, owner or dependencies of a task",
    args: [teamArg, idArg],
    options: {
      subject: { value: "TEXT", summary: "what is to be done" },
      ...wordOptions,
      unassign: { summary: "remove the owner" },
      status: {
        value: "STATUS",
        choices: ["pending", "in_progress", "completed"],
        summary: "the new state",
      },
      ...edgeOptions,
      ...partingOptions,
      as: asOption,
    },
    examples: [
      ["troupe task update parser-team 3 --owner alice", "alice is notified of the assignment"],
      ["troupe task update parser-team 3 --blocked-by 1 --blocked-by 2", "it waits for both"],
      ["troupe task update parser-team 3 --not-blocked-by 2", "it waits for 2 no more"],
    ],
    load: () => import("./update.ts"),
  }),
  defineCommand({
    name: "task claim",
    summary: "claim a task; if several members try at once, exactly one succeeds",
    details:
      "Without an id, claims the ready task with the lowest id. Exits with 1 if the task is taken or blocked, or if none is ready.",
    args: [teamArg, { ...idArg, isOptional: true }],
    options: { as: asOption },
    examples: [
      ["troupe task claim parser-team 3 --as alice", "alice works on task 3"],
      ["troupe task claim parser-team --as alice", "alice works on the next ready task"],
    ],
    load: () => import("./claim.ts"),
  }),
  defineCommand({
    name: "task release",
    summary: "remove the owner of an unfinished task, so that it can be claimed again",
    details: "With --as, only if that member still owns it.",
    args: [teamArg, idArg],
    options: { as: { value: "MEMBER", summary: "only if this member owns it", completes: "member" } },
    examples: [["troupe task release parser-team 3", "any member can claim it again"]],
    load: () => import("./release.ts"),
  }),
  defineCommand({
    name: "task complete",
    summary: "mark a task as completed, which unblocks the tasks that wait for it",
    args: [teamArg, idArg],
    options: { as: asOption },
    examples: [
      ["troupe task complete parser-team 3", "tasks that waited only for this one are ready"],
      ["troupe task complete parser-team 3 --as alice", "the team's history says that alice did it"],
    ],
    load: () => import("./complete.ts"),
  }),
  defineCommand({
    name: "task delete",
    summary: "delete a task and every dependency on it; its id is never reused",
    args: [exactTeamArg, idArg],
    options: { yes: yesOption },
    examples: [["troupe task delete parser-team 3 --yes", "without asking"]],
    load: () => import("./delete.ts"),
  }),
  defineCommand({
    name: "task graph",
    summary: "show which task waits for which, as a tree",
    details: "Each task is shown below the tasks it waits for; when it appears again, only its name is shown.",
    args: [teamArg],
    options: { dot: { summary: "print it in Graphviz format" } },
    examples: [
      ["troupe task graph parser-team", "a tree"],
      ["troupe task graph parser-team --dot | dot -Tsvg > tasks.svg", "a picture"],
    ],
    load: () => import("./graph.ts"),
  }),
];
