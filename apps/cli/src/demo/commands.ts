import { type Command, defineCommand } from "../command.ts";

/** A team at work without a model: what there is to see, and something to try the other commands on. */
export const demoCommands: readonly Command[] = [
  defineCommand({
    name: "demo",
    summary: "three processes work through a small task list while you watch",
    details:
      "Makes a team in a new temporary directory, starts three processes that claim tasks, report to the lead and complete them, shows what happens as watch does, and lets the doctor look at what they leave. The directory stays, to try other commands on; nothing else is touched.",
    args: [],
    options: { as: { value: "MEMBER", summary: "be one of the three processes, in the team under --root" } },
    examples: [["troupe demo", "a few seconds"]],
    isLive: true,
    load: () => import("./demo.ts"),
  }),
];
