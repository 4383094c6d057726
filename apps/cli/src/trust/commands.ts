import { type Command, defineCommand, yesOption } from "../command.ts";

/** Whose settings may run commands. */
export const trustCommands: readonly Command[] = [
  defineCommand({
    name: "trust",
    summary: "let the settings of a folder run commands: its hooks, its MCP servers, what it allows",
    details:
      "A repository can bring settings of its own. Until its folder is trusted they can only forbid. Trust covers what lies below the folder, is kept under the root, and is asked about; --remove takes it back.",
    args: [{ name: "folder", summary: "the folder (default: this one)", isOptional: true, completes: "directory" }],
    options: {
      yes: yesOption,
      remove: { summary: "trust it no more" },
      check: { summary: "only say whether it is trusted; ends with 1 when it is not" },
    },
    examples: [
      ["troupe trust", "the folder you stand in, after a question"],
      ["troupe trust ~/parser --check", "may its settings run anything?"],
    ],
    load: () => import("./trust.ts"),
  }),
];
