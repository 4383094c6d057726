import { asOption, type Command, defineCommand, teamArg } from "../command.ts";

/** The commands about messages. */
export const mailCommands: readonly Command[] = [
  defineCommand({
    name: "send",
    summary: "send a message to a member",
    details: "The message is on disk when the command ends; the member receives it when it next reads its inbox.",
    args: [
      teamArg,
      { name: "to", summary: "the member, or a unique beginning of its name", completes: "member" },
      { name: "text", summary: "the message; - reads it from standard input" },
    ],
    options: {
      summary: { value: "TEXT", summary: "a short preview of the message" },
      urgent: { summary: "cut the member's request to the model short, but no tool that runs" },
      as: asOption,
    },
    examples: [
      ['troupe send parser-team alice "Start with the grammar."', "from the lead"],
      [
        "git diff | troupe send parser-team alice - --summary 'please review' --as bob",
        "from bob, with the text from a pipe",
      ],
    ],
    load: () => import("./send.ts"),
  }),
  defineCommand({
    name: "inbox",
    summary: "show the unread messages of a member",
    details:
      "Without --take nothing is changed. --take marks the messages as read once they are printed, so their recipient does not receive them: in revision 2026-02 they stay in the file, marked; in 2026-11 they are removed.",
    args: [
      teamArg,
      { name: "member", summary: "whose inbox (default: the lead's)", isOptional: true, completes: "member" },
    ],
    options: {
      all: { summary: "include read messages, listed last" },
      take: {
        summary: "mark what is printed as read, in place of the recipient; needs the whole names",
        isDestructive: true,
      },
    },
    examples: [
      ["troupe inbox parser-team", "the lead's unread messages"],
      ["troupe inbox parser-team alice --all", "everything in alice's inbox"],
    ],
    load: () => import("./inbox.ts"),
  }),
  defineCommand({
    name: "log",
    summary: "show what happened in a team, oldest first: members, messages, tasks, turns",
    details:
      "Built from what the files still hold (only the last change of a task, and in revision 2026-11 no messages that were read) and from what its members recorded: a member of Troupe records its turns, tools and requests. That can be read for a week after the team was deleted.",
    args: [teamArg],
    options: {},
    examples: [["troupe log parser-team", "everything so far"]],
    load: () => import("./log.ts"),
  }),
];
