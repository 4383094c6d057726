import { asOption, type Command, defineCommand, teamArg } from "../command.ts";

const followOption = { short: "f", isLive: true } as const;

/** The commands about messages. */
export const mailCommands: readonly Command[] = [
  defineCommand({
    name: "send",
    summary: "send a message to a member",
    details: "The message is on disk when the command ends; the member receives it when it next reads its inbox.",
    args: [
      teamArg,
      { name: "to", summary: "the member, or a unique beginning of its name", completes: "member", unless: "all" },
      { name: "text", summary: "the message; - reads it from standard input" },
    ],
    options: {
      all: { summary: "to every other member, instead of naming one" },
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
      ['troupe send parser-team --all "Push your branches."', "to every teammate, from the lead"],
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
      follow: { ...followOption, summary: "go on with messages that come, until Ctrl-C or the end of the team" },
    },
    examples: [
      ["troupe inbox parser-team", "the lead's unread messages"],
      ["troupe inbox parser-team alice --all", "everything in alice's inbox"],
      ["troupe inbox parser-team --follow", "the lead's unread messages, and those that come"],
    ],
    load: () => import("./inbox.ts"),
  }),
  defineCommand({
    name: "log",
    summary: "show what happened in a team, oldest first: members, messages, tasks, turns",
    details:
      "Built from what the files still hold (only the last change of a task, and in revision 2026-11 no messages that were read) and from what its members recorded: a member of Troupe records its turns, tools and requests. That can be read for a week after the team was deleted.",
    args: [teamArg],
    options: {
      follow: { ...followOption, summary: "go on with what happens, until Ctrl-C or the end of the team" },
      lines: { value: "N", short: "n", summary: "only the last N events" },
      since: { value: "WHEN", summary: "only events from then on: 30s, 10m, 2h, 3d ago, or a time in ISO 8601" },
      from: { value: "MEMBER", summary: "only what this member did", completes: "member" },
    },
    examples: [
      ["troupe log parser-team", "everything so far"],
      ["troupe log parser-team -n 20 --follow", "the last 20 events, and those that come"],
      ["troupe log parser-team --since 10m --from alice", "what alice did in the last ten minutes"],
    ],
    load: () => import("./log.ts"),
  }),
];
