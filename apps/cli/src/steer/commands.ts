import { type Command, defineCommand, teamArg } from "../command.ts";

const requestArg = {
  name: "request",
  summary: "its id, a unique beginning of that, or the member that asks",
  completes: "member",
} as const;
const noteOption = { value: "TEXT", summary: "what the member is told besides" } as const;
const details =
  "The answer is the lead's: the first one counts, here or at the lead's own screen, and the second is told so. Waits ten seconds at most for the member to say that it heard. An agent cannot run this command.";

/** The commands that steer a team from another terminal. */
export const steerCommands: readonly Command[] = [
  defineCommand({
    name: "permission list",
    summary: "list what teammates ask to be allowed, in full",
    args: [teamArg],
    options: {},
    examples: [["troupe permission list parser-team", "who wants to run what, and for how long it waits"]],
    load: () => import("./permission-list.ts"),
  }),
  defineCommand({
    name: "permission allow",
    summary: "allow what a teammate asks for, once",
    details,
    args: [teamArg, requestArg],
    options: { note: noteOption },
    examples: [["troupe permission allow parser-team alice --note 'only this once'", "the only request of alice"]],
    load: () => import("./permission-allow.ts"),
  }),
  defineCommand({
    name: "permission deny",
    summary: "deny what a teammate asks for",
    details,
    args: [teamArg, requestArg],
    options: { note: noteOption },
    examples: [["troupe permission deny parser-team perm-17 --note 'use the copy'", "the request whose id begins so"]],
    load: () => import("./permission-deny.ts"),
  }),
  defineCommand({
    name: "plan show",
    summary: "show the plans that wait for an approval",
    args: [teamArg, { ...requestArg, isOptional: true }],
    options: {},
    examples: [["troupe plan show parser-team alice", "the plan that alice has handed in"]],
    load: () => import("./plan-show.ts"),
  }),
  defineCommand({
    name: "plan approve",
    summary: "approve the plan of a teammate, which then carries it out",
    details,
    args: [teamArg, requestArg],
    options: {
      note: noteOption,
      mode: {
        value: "MODE",
        choices: ["default", "acceptEdits", "bypassPermissions", "dontAsk"],
        summary: "the permission mode that it works in from then on (default: default)",
      },
    },
    examples: [["troupe plan approve parser-team alice --mode acceptEdits", "alice goes on, and may edit files"]],
    load: () => import("./plan-approve.ts"),
  }),
  defineCommand({
    name: "plan reject",
    summary: "send the plan of a teammate back, with what to change",
    details,
    args: [teamArg, requestArg],
    options: { note: noteOption },
    examples: [["troupe plan reject parser-team alice --note 'begin with the tests'", "alice plans again"]],
    load: () => import("./plan-reject.ts"),
  }),
];
