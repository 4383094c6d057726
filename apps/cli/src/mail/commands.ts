import { asOption, type Command, defineCommand, teamArg } from "../command.ts";

/** What is asked of messages. */
export const mailCommands: readonly Command[] = [
  defineCommand({
    name: "send",
    summary: "send a message to a member",
    details: "It is on disk when the command ends; the member has it when it next looks.",
    args: [
      teamArg,
      { name: "to", summary: "the member's name" },
      { name: "text", summary: "the message; - reads it from standard input" },
    ],
    options: { summary: { value: "TEXT", summary: "a few words that are shown instead of it" }, as: asOption },
    examples: [
      ['troupe send parser-team alice "Start with the grammar."', "from the lead"],
      ["git diff | troupe send parser-team alice - --summary 'please review' --as bob", "from bob, the text of a pipe"],
    ],
    load: () => import("./send.ts"),
  }),
  defineCommand({
    name: "inbox",
    summary: "the unread messages of a member",
    details:
      "Looking changes nothing. --take makes them read once they are printed: in revision 2026-02 they stay, marked; in 2026-11 they are removed. Their recipient is not handed them any more.",
    args: [teamArg, { name: "member", summary: "whose (default: the lead's)", isOptional: true }],
    options: {
      all: { summary: "those that were read as well, behind the others" },
      take: { summary: "mark what is printed as read, on its recipient's behalf" },
    },
    examples: [
      ["troupe inbox parser-team", "what waits for the lead"],
      ["troupe inbox parser-team alice --all", "everything that is in alice's inbox"],
    ],
    load: () => import("./inbox.ts"),
  }),
  defineCommand({
    name: "log",
    summary: "what happened in a team, in order of time: members, messages, tasks",
    details:
      "From what the files still say: of a task its last change is known, and in revision 2026-11 messages that were read are gone.",
    args: [teamArg],
    options: {},
    examples: [["troupe log parser-team", "the whole story so far"]],
    load: () => import("./log.ts"),
  }),
];
