import { type Command, defineCommand, yesOption } from "../command.ts";

/** The command that finds and fixes what is wrong with files. */
export const doctorCommands: readonly Command[] = [
  defineCommand({
    name: "doctor",
    summary: "find what is wrong with teams and what ended leads left behind, and fix it with --fix and --prune",
    details:
      "Without --fix it takes no lock and changes no file of a team. It also tests, in the system's temporary directory, whether this system can confine commands. --fix does what is safe while others work and leaves the rest. A teammate whose lead has ended without it is listed, in processes, panes and inside the lead; --prune ends it with everything below it and takes it out of its team. Each problem names the command that fixes it, or says why none can. Of a store on PostgreSQL it tells of hosts that are not heard of any more, of teammates that no host can take, and of those on hosts whose lead has ended here. What an ended session left behind is only a note. Exits with 1 while a problem remains.",
    args: [],
    options: {
      fix: { summary: "fix what can be fixed safely; asks first" },
      prune: { summary: "end teammates whose lead has ended; asks first" },
      yes: yesOption,
    },
    examples: [
      ["troupe doctor", "every stale lock, damaged document, one-sided dependency and leftover file"],
      ["troupe doctor --fix --yes", "without asking"],
      ["troupe doctor --prune", "end what a lead that crashed left running"],
    ],
    load: () => import("./doctor.ts"),
  }),
];
