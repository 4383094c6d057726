import { type Command, defineCommand, yesOption } from "../command.ts";

/** What is asked when something is wrong. */
export const doctorCommands: readonly Command[] = [
  defineCommand({
    name: "doctor",
    summary: "what is wrong with the files of all teams, and on request what mends it",
    details:
      "Looking takes no lock and writes nothing. --mend does what can be done safely while others work, and leaves the rest. Ends with 1 while something is wrong.",
    args: [],
    options: { mend: { summary: "mend what can be mended safely; asks first" }, yes: yesOption },
    examples: [
      ["troupe doctor", "every stale lock, damaged document, half edge and left-over file"],
      ["troupe doctor --mend --yes", "without asking"],
    ],
    load: () => import("./doctor.ts"),
  }),
];
