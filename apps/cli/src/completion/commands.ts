import { type Command, defineCommand } from "../command.ts";

/** The command that prints completion scripts. */
export const completionCommands: readonly Command[] = [
  defineCommand({
    name: "completion",
    summary: "print a shell script that completes commands, options and team names",
    details:
      "bash: add the line of the example to ~/.bashrc. zsh: save it as _troupe in a directory of $fpath. fish: save it as ~/.config/fish/completions/troupe.fish.",
    args: [{ name: "shell", summary: "bash, zsh or fish", completes: ["bash", "zsh", "fish"] }],
    options: {},
    examples: [
      ["troupe completion bash > ~/.troupe-completion.bash", "then, in ~/.bashrc: source ~/.troupe-completion.bash"],
      ["troupe completion fish > ~/.config/fish/completions/troupe.fish", "takes effect in the next fish"],
    ],
    load: () => import("./completion.ts"),
  }),
];
