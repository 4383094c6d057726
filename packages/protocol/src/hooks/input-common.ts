import { z } from "zod";

/** The fields of every event. */
const common = {
  session_id: z.string().describe("The session the event happens in."),
  transcript_path: z.string().describe("The session's transcript, an absolute path."),
  cwd: z.string().describe("The working directory."),
  permission_mode: z.string().optional().describe("The current permission mode."),
  prompt_id: z.string().optional().describe("The turn it belongs to."),
  effort: z
    .looseObject({ level: z.string().describe("Such as `high`.") })
    .optional()
    .describe("The effort the model uses."),
  agent_id: z.string().optional().describe("The agent it happens in; absent in the main conversation."),
  agent_type: z.string().optional().describe("The type of that agent."),
};

const commonExample = {
  session_id: "5833f1a8-70fb-4e32-95d9-283e44b3d214",
  transcript_path: "/home/dev/.claude/projects/-home-dev-project/5833f1a8-70fb-4e32-95d9-283e44b3d214.jsonl",
  cwd: "/home/dev/project",
  permission_mode: "default",
};

/** The fields every event has, for an event this version does not know. */
export const HookInputCommon = z.looseObject({ ...common, hook_event_name: z.string().describe("The event.") }).meta({
  title: "Hook input, common part",
  description: "What a hook is told of any event.",
  examples: [{ ...commonExample, hook_event_name: "ConfigChange" }],
});
export type HookInputCommon = z.infer<typeof HookInputCommon>;

/** One event: the common fields, its own, and one example of its own. */
export const hookInput = <const Event extends string, Shape extends z.ZodRawShape>(
  event: Event,
  description: string,
  shape: Shape,
  example: Readonly<Record<string, unknown>>,
) =>
  z.looseObject({ ...common, hook_event_name: z.literal(event).describe("The event."), ...shape }).meta({
    title: `${event} hook input`,
    description,
    examples: [{ ...commonExample, hook_event_name: event, ...example }],
  });
