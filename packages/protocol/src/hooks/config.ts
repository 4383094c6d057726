import { z } from "zod";

const shared = {
  if: z
    .string()
    .optional()
    .describe("One permission rule, as `Bash(git *)`, that a tool call must match; tool events only."),
  timeout: z.number().positive().optional().describe("Seconds after which the handler is stopped."),
  statusMessage: z.string().optional().describe("The text to show while it runs."),
};

/** The handlers that are understood. */
export const KnownHook = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("command").describe("Runs a command, which gets the event on its standard input."),
    command: z.string().min(1).describe(`The command; \${CLAUDE_PLUGIN_ROOT} stands for the directory of its plugin.`),
    args: z
      .array(z.string())
      .optional()
      .describe("If present, the command is a program that is run with these arguments, without a shell."),
    async: z.boolean().optional().describe("True: run in the background."),
    asyncRewake: z.boolean().optional().describe("True: run in the background; exit code 2 wakes the agent later."),
    ...shared,
  }),
  z.looseObject({
    type: z.literal("prompt").describe("Asks a model, which answers with a PromptHookAnswer."),
    prompt: z.string().min(1).describe("The prompt; `$ARGUMENTS` is replaced by the event as JSON."),
    model: z.string().optional().describe("The model to ask."),
    continueOnBlock: z.boolean().optional().describe("True: the agent is told of a refusal and continues."),
    ...shared,
  }),
  z.looseObject({
    type: z.literal("agent").describe("Asks an agent with tools; it answers as a prompt hook does."),
    prompt: z.string().min(1).describe("The prompt; `$ARGUMENTS` is replaced by the event as JSON."),
    model: z.string().optional().describe("The model the agent runs on."),
    ...shared,
  }),
  z.looseObject({
    type: z.literal("http").describe("Posts the event as JSON and reads the answer as a HookOutput."),
    url: z.string().min(1).describe("The URL."),
    headers: z.record(z.string(), z.string()).optional().describe("Headers to send along."),
    ...shared,
  }),
  z.looseObject({
    type: z.literal("mcp_tool").describe("Calls a tool of an MCP server."),
    server: z.string().min(1).describe("The server's name."),
    tool: z.string().min(1).describe("The tool's name."),
    input: z.record(z.string(), z.unknown()).optional().describe("Its arguments."),
    ...shared,
  }),
]);
export type KnownHook = z.infer<typeof KnownHook>;

/** The names of the handlers that are understood. */
export const hookTypes = KnownHook.options.map(({ shape }) => shape.type.value);
export type HookType = KnownHook["type"];

const isKnownType = (type: unknown): boolean => hookTypes.some((known) => known === type);

/** Kept unchanged, and not run. zod has no `not`, so the check and the keyword share one list. */
const OtherHook = z.looseObject({
  type: z
    .string()
    .refine((type) => !isKnownType(type), { abort: true })
    .meta({ not: { enum: [...hookTypes] } })
    .describe("A type this version does not know."),
});

/** The handlers of an event. */
export const HookHandler = z.union([KnownHook, OtherHook]).meta({
  title: "Hook handler",
  description: "What is done when an event fires. A handler of an unknown type is kept and not run.",
  examples: [{ type: "prompt", prompt: "Is every step done? $ARGUMENTS", model: "haiku", timeout: 15 }],
});
export type HookHandler = z.infer<typeof HookHandler>;

/** The handler as one that is understood, or undefined for one that is kept only. */
export const knownHook = (handler: HookHandler): KnownHook | undefined =>
  isKnownType(handler.type) ? (handler as KnownHook) : undefined;

/** Handlers that share a matcher. */
export const HookGroup = z
  .looseObject({
    matcher: z
      .string()
      .optional()
      .describe(
        "Which tool, agent type or cause the event must be about: `*`, exact names separated by `|`, or a pattern.",
      ),
    hooks: z.array(HookHandler).describe("The handlers to run, all in parallel."),
  })
  .meta({
    title: "Hook group",
    description: "Handlers, and what an event must be about for them to run.",
    examples: [{ matcher: "Bash", hooks: [{ type: "command", command: "./scripts/validate.sh" }] }],
  });
export type HookGroup = z.infer<typeof HookGroup>;

/** The `hooks` of an agent definition, of settings and of a plugin's hooks.json. */
export const HooksConfig = z.record(z.string().describe("The event."), z.array(HookGroup)).meta({
  title: "Hooks",
  description: "What is done when: groups of handlers by event. Unknown events are kept and never fire.",
  examples: [
    {
      PreToolUse: [
        { matcher: "Bash", hooks: [{ type: "command", command: `\${CLAUDE_PLUGIN_ROOT}/scripts/validate.sh` }] },
      ],
      Stop: [{ hooks: [{ type: "command", command: "./check-completion.sh" }] }],
    },
  ],
});
export type HooksConfig = z.infer<typeof HooksConfig>;

/** Seconds a handler has when it sets no timeout. */
export const hookTimeouts: Readonly<Record<HookType, number>> = {
  command: 600,
  http: 600,
  mcp_tool: 600,
  prompt: 30,
  agent: 60,
};

/**
 * An agent definition's `Stop` happens when a subagent stops, so it runs as `SubagentStop`. Its
 * matcher is dropped: `Stop` has none, and one of `SubagentStop` names agent types and could
 * disable the handler.
 */
export function stopToSubagentStop(hooks: HooksConfig): HooksConfig {
  if (!Object.hasOwn(hooks, "Stop")) return hooks;
  const stop = (hooks["Stop"] ?? []).map(({ matcher: _, ...group }) => group);
  const already = Object.hasOwn(hooks, "SubagentStop") ? (hooks["SubagentStop"] ?? []) : [];
  return Object.fromEntries([
    ...Object.entries(hooks).filter(([event]) => event !== "Stop" && event !== "SubagentStop"),
    ["SubagentStop", [...already, ...stop]],
  ]);
}
