import { asOption, type Command, defineCommand, idArg, teamArg, yesOption } from "../command.ts";

const edgeOptions = {
  "blocked-by": {
    value: "ID",
    isRepeated: true,
    summary: "it waits for this task; several with commas, or said again",
  },
  blocks: { value: "ID", isRepeated: true, summary: "this task waits for it; several with commas, or said again" },
} as const;
const wordOptions = {
  description: { value: "TEXT", summary: "details; - reads them from standard input" },
  "active-form": { value: "TEXT", summary: "what is shown while it is worked on" },
  owner: { value: "MEMBER", summary: "who has it" },
  metadata: { value: "JSON", summary: "an object, merged key by key; null removes a key" },
} as const;

/** What is asked of tasks. */
export const taskCommands: readonly Command[] = [
  defineCommand({
    name: "task list",
    summary: "the tasks of a team, and what they wait for",
    args: [teamArg],
    options: {
      ready: { summary: "only those somebody could take now" },
      owner: { value: "MEMBER", summary: "only those of this member" },
      status: {
        value: "STATUS",
        choices: ["pending", "in_progress", "completed"],
        summary: "only those in this state",
      },
    },
    examples: [
      ["troupe task list parser-team", "all of them"],
      ["troupe task list parser-team --ready", "what is there to do"],
    ],
    load: () => import("./list.ts"),
  }),
  defineCommand({
    name: "task show",
    summary: "one task with everything it says",
    args: [teamArg, idArg],
    options: {},
    examples: [["troupe task show parser-team 3", "its description, its owner, what it waits for"]],
    load: () => import("./show.ts"),
  }),
  defineCommand({
    name: "task create",
    summary: "put a task on the list",
    args: [teamArg, { name: "subject", summary: 'what is to be done, as an order: "Write the parser"' }],
    options: { ...wordOptions, ...edgeOptions, as: asOption },
    examples: [
      ['troupe task create parser-team "Write the parser"', "prints its id"],
      ['troupe task create parser-team "Test it" --blocked-by 1 --owner alice', "alice is told once it is hers"],
    ],
    load: () => import("./create.ts"),
  }),
  defineCommand({
    name: "task update",
    summary: "change what a task says, its state, its owner, or what it waits for",
    args: [teamArg, idArg],
    options: {
      subject: { value: "TEXT", summary: "what is to be done" },
      ...wordOptions,
      unassign: { summary: "nobody has it any more" },
      status: {
        value: "STATUS",
        choices: ["pending", "in_progress", "completed"],
        summary: "the state it is in",
      },
      ...edgeOptions,
      as: asOption,
    },
    examples: [
      ["troupe task update parser-team 3 --owner alice", "alice is sent an assignment"],
      ["troupe task update parser-team 3 --blocked-by 1 --blocked-by 2", "it waits for both"],
    ],
    load: () => import("./update.ts"),
  }),
  defineCommand({
    name: "task claim",
    summary: "take a task: of any number who try, one gets it",
    details: "Without an id, the lowest task that is ready. Ends with 1 when it is taken, blocked, or none is ready.",
    args: [teamArg, { ...idArg, isOptional: true }],
    options: { as: asOption },
    examples: [
      ["troupe task claim parser-team 3 --as alice", "alice works on task 3"],
      ["troupe task claim parser-team --as alice", "alice takes whatever is next"],
    ],
    load: () => import("./claim.ts"),
  }),
  defineCommand({
    name: "task release",
    summary: "give an unfinished task back",
    details: "With --as, only if it is still that member's.",
    args: [teamArg, idArg],
    options: { as: { value: "MEMBER", summary: "only if this member has it" } },
    examples: [["troupe task release parser-team 3", "anybody can take it again"]],
    load: () => import("./release.ts"),
  }),
  defineCommand({
    name: "task complete",
    summary: "mark a task as done, which lets those go on that waited for it",
    args: [teamArg, idArg],
    options: {},
    examples: [["troupe task complete parser-team 3", "tasks that waited for it alone are ready"]],
    load: () => import("./complete.ts"),
  }),
  defineCommand({
    name: "task delete",
    summary: "remove a task and every dependency on it; its id is not given again",
    args: [teamArg, idArg],
    options: { yes: yesOption },
    examples: [["troupe task delete parser-team 3 --yes", "without asking"]],
    load: () => import("./delete.ts"),
  }),
  defineCommand({
    name: "task graph",
    summary: "which task waits for which, as a tree",
    details: "Each task stands below the ones it waits for; one that stands there already is only named again.",
    args: [teamArg],
    options: { dot: { summary: "as Graphviz reads it" } },
    examples: [
      ["troupe task graph parser-team", "a tree"],
      ["troupe task graph parser-team --dot | dot -Tsvg > tasks.svg", "a picture"],
    ],
    load: () => import("./graph.ts"),
  }),
];
