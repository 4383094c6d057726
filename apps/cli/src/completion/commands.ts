import { type Command, defineCommand } from "../command.ts";

/** What is asked for by shells. */
export const completionCommands: readonly Command[] = [
  defineCommand({
    name: "completion",
    summary: "a script that lets a shell complete commands, options and the names of teams",
    details:
      "bash: add the line of the example to ~/.bashrc. zsh: save it as _troupe in a directory of $fpath. fish: save it as ~/.config/fish/completions/troupe.fish.",
    args: [{ name: "shell", summary: "bash, zsh or fish", completes: ["bash", "zsh", "fish"] }],
    options: {},
    examples: [
      ["troupe completion bash > ~/.troupe-completion.bash", "then, in ~/.bashrc: source ~/.troupe-completion.bash"],
      ["troupe completion fish > ~/.config/fish/completions/troupe.fish", "from the next fish on"],
    ],
    load: () => import("./completion.ts"),
  }),
];
