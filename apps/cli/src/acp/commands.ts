import { type Command, defineCommand } from "../command.ts";
import { sessionOptions } from "../session/options.ts";

const { model, agent, agents, settings, revision, backend } = sessionOptions;

/** The command by which an editor drives a session. */
export const acpCommands: readonly Command[] = [
  defineCommand({
    name: "acp",
    summary: "be an agent for an editor that speaks the Agent Client Protocol",
    details:
      "Speaks ACP on standard input and output: the editor opens sessions in its folders, sends prompts, shows what the agent says and does, and asks its user for permissions. A session of this command line can be loaded there, and one of there resumed here. Needs ANTHROPIC_API_KEY, as troupe -p does.",
    args: [],
    options: { model, agent, agents, settings, revision, backend },
    examples: [
      [
        "troupe acp",
        'for the settings of Zed: "agent_servers": {"troupe": {"type": "custom", "command": "troupe", "args": ["acp"]}}',
      ],
      ["troupe acp --model opus --backend tmux", "with another model, and teammates in panes"],
    ],
    isLive: true,
    load: () => import("./serve.ts"),
  }),
];
