import { type Command, defineCommand, yesOption } from "../command.ts";

/** The command that decides whose settings may run commands. */
export const trustCommands: readonly Command[] = [
  defineCommand({
    name: "trust",
    summary: "trust the settings of a folder: its hooks, its MCP servers and its allow rules",
    details:
      "A repository can contain its own settings. Until its folder is trusted, only their deny rules apply. Trust covers everything below the folder and is stored under the root. Asks first; --remove withdraws it.",
    args: [{ name: "folder", summary: "the folder (default: this one)", isOptional: true, completes: "directory" }],
    options: {
      yes: yesOption,
      remove: { summary: "stop trusting the folder" },
      check: { summary: "only say whether the folder is trusted; exits with 1 if it is not" },
    },
    examples: [
      ["troupe trust", "the current folder, after a prompt"],
      ["troupe trust ~/parser --check", "whether its settings may run commands"],
    ],
    load: () => import("./trust.ts"),
  }),
];
