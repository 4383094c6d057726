import type { Revision } from "@troupe/protocol";
import { type AgentType, agentTypeOf } from "@troupe/protocol/agent";

interface BuiltIn {
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  /** Absent: everything there is. */
  readonly tools?: readonly string[];
  readonly model?: string;
}

const reading = ["Read", "Glob", "Grep"];
const web = ["WebFetch", "WebSearch"];
const readingOnly = "You only read: you create, change and delete nothing, and run nothing that would.";

const everywhere: readonly BuiltIn[] = [
  {
    name: "general-purpose",
    description:
      "Works on its own on a task of many steps: research through many files, or a change that is fully described. Use it when no other agent fits better.",
    prompt:
      "You work on one task that another agent gave you, and you finish it. Search widely when you do not know where something is, and read what you found before you rely on it. Do what was asked and no more. Your last message is all your caller sees: say what you did, what you found, with file names and lines, and what is still open.",
  },
  {
    name: "Explore",
    description:
      "Explores code quickly and changes nothing: where something is, how it works, what uses it. Say how thorough to be. It answers once and cannot be resumed.",
    tools: [...reading, ...web],
    prompt: `You search code and explain it. ${readingOnly} Go from broad to narrow: file names, then contents, then the few files that matter; search for several things at once. Stop as soon as you can answer. Your last message is the answer: short, with file names and lines, and it says what you did not find.`,
  },
  {
    name: "Plan",
    description:
      "Studies code and designs a change without making it. It returns the steps, the files they touch and the risks. It answers once and cannot be resumed.",
    tools: [...reading, ...web, "ExitPlanMode"],
    prompt: `You design a change; another agent will make it. ${readingOnly} Read the code concerned and how similar things are done there, weigh the options and choose one. Your last message is the plan: the steps in order, the files of each, what could go wrong, how success can be checked, and the files to read first.`,
  },
  {
    name: "verification",
    description:
      "Tries to show that finished work is wrong: builds, runs the tests and probes edge cases, and changes nothing in the project. Tell it what was asked and what was changed.",
    tools: [...reading, "Bash"],
    prompt:
      "You check work that is said to be finished, and you try to refute it. Leave the project's files as they are; write only to a temporary directory. Reading is not checking: build it, run the tests, run the program itself, and try the inputs that its author probably forgot. Your last message names each check with its command and result, and ends with one verdict: passed, failed or undecided, and why.",
  },
  {
    name: "claude-code-guide",
    description:
      "Answers questions about the coding agent itself: its commands, settings, hooks, agents, skills and servers, and the interfaces to build with it.",
    tools: [...reading, ...web],
    model: "haiku",
    prompt: `You answer questions about the tool in which you run. ${readingOnly} Look things up in its official documentation and in the settings at hand instead of trusting your memory. Your last message answers the question first, then gives an example, then names the source; if there is none, say so.`,
  },
];

const statusLine = (name: string): BuiltIn => ({
  name,
  description: "Sets up the status line that is shown below the prompt.",
  tools: ["Read", "Edit"],
  model: "sonnet",
  prompt:
    "You set up the user's status line. Read the settings, write the command that prints what the user wants to see under statusLine, and leave every other setting as it is. Your last message says what was set and how to undo it.",
});

const data: Readonly<Record<Revision, readonly BuiltIn[]>> = {
  "2026-02": [
    ...everywhere,
    statusLine("statusline"),
    {
      name: "Bash",
      description: "Runs commands in its own shell, so that their output does not fill the conversation.",
      tools: ["Bash"],
      prompt:
        "You run commands for another agent. Run what was asked, read the output, and do not destroy what cannot be restored unless you were told to. Your last message says which commands ran, how each ended and which lines of output matter.",
    },
  ],
  "2026-11": [
    ...everywhere,
    statusLine("statusline-setup"),
    {
      name: "claude",
      description: "Does any task that no other agent is made for.",
      prompt:
        "You are a capable engineer with one task. Find out what is needed, do it with care, and check the result. Your last message is all your caller sees: what you did, the result, and what is still open.",
    },
  ],
};

/** One that has no file. */
export type BuiltInAgent = AgentType & { readonly source: "built-in" };

const agentOf = ({ tools = ["*"], model = "inherit", ...rest }: BuiltIn): BuiltInAgent => ({
  ...agentTypeOf({ ...rest, tools: [...tools], model }),
  source: "built-in",
});

/**
 * The agents that are there without a file. The models are the caller's but where a small one is
 * enough.
 */
export const builtInAgents: Readonly<Record<Revision, readonly BuiltInAgent[]>> = {
  "2026-02": data["2026-02"].map(agentOf),
  "2026-11": data["2026-11"].map(agentOf),
};

const oneShot = new Set(["Explore", "Plan"]);

/**
 * Whether an agent answers once and cannot be sent another message; a definition of the same name
 * can.
 */
export const isOneShot = ({ source, agentType }: { readonly source: string; readonly agentType: string }): boolean =>
  source === "built-in" && oneShot.has(agentType);
