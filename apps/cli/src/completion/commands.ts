import { type Command, defineCommand } from "../command.ts";

/** The command that prints completion scripts. */
export const completionCommands: readonly Command[] = [
  defineCommand({
    name: "completion",
    summary: "print a shell script that completes commands, options, and names of teams, members, tasks and agents",
    details:
      "bash: add the line of the example to ~/.bashrc. zsh: save it as _troupe in a directory of $fpath. fish: save it as ~/.config/fish/completions/troupe.fish.",
    args: [
      {
        name: "shell",
        summary: "bash, zsh or fish; names prints what can follow the words behind it, as the scripts ask",
        completes: ["bash", "zsh", "fish"],
      },
      { name: "words", summary: "behind names: a command line that is not complete", isOptional: true, isRest: true },
    ],
    options: {},
    examples: [
      ["troupe completion bash > ~/.troupe-completion.bash", "then, in ~/.bashrc: source ~/.troupe-completion.bash"],
      ["troupe completion fish > ~/.config/fish/completions/troupe.fish", "takes effect in the next fish"],
      ["troupe completion names -- task show parser-team", "the ids that can follow, a line each"],
    ],
    load: () => import("./completion.ts"),
  }),
];
