import { type Command, defineCommand } from "../command.ts";

/** The command that shows a team at work without a model. */
export const demoCommands: readonly Command[] = [
  defineCommand({
    name: "demo",
    summary: "watch three processes work through a small task list",
    details:
      "Creates a team in a new temporary directory, starts three processes that claim tasks, complete them and report to the lead, shows what happens as troupe watch does, then runs the doctor. The directory is kept so that you can try other commands on it; nothing else is changed.",
    args: [],
    options: { as: { value: "MEMBER", summary: "run as one demo worker, in the team under --root" } },
    examples: [["troupe demo", "takes a few seconds"]],
    isLive: true,
    load: () => import("./demo.ts"),
  }),
];
