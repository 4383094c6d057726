import { z } from "zod";
import { PermissionMode202602, PermissionMode202611 } from "../permissions.ts";
import type { Problem } from "../problems.ts";
import type { Revision } from "../revisions/revision.ts";
import { AgentResult } from "./agent-result.ts";
import { defineToolBoundary } from "./boundary.ts";

const description = z
  .string()
  .describe("The task in 3 to 5 words, for lists, logs and notifications; the agent itself does not see it.");
const prompt = z.string().describe("The whole task, as the agent's first instruction.");
const subagent_type = z
  .string()
  .optional()
  .describe("The agent type to run; if omitted, general-purpose, or a fork where omitting it means a fork.");
const run_in_background = z
  .boolean()
  .optional()
  .describe(
    "Run in the background: return at once and report the result in a notification. Hidden where the caller has no choice.",
  );
const worktreeOnly = z
  .enum(["worktree"])
  .optional()
  .describe("Where to work: in its own temporary worktree. Overrides the definition.");
const isolation = z
  .enum(["worktree", "remote"])
  .optional()
  .describe("Where to work: in its own temporary worktree, or on another machine (gated). Overrides the definition.");

/** The Agent input of revision 2026-02. */
export const AgentInput202602 = z
  .looseObject({
    description,
    prompt,
    subagent_type,
    model: z.enum(["sonnet", "opus", "haiku"]).optional().describe("Overrides the model of the definition."),
    run_in_background,
    name: z.string().optional().describe("The agent's name for SendMessage; with a team the agent becomes a teammate."),
    team_name: z.string().optional().describe("The team to join; if omitted, the caller's own."),
    mode: PermissionMode202602.optional().describe(
      "The permission mode of a teammate; `plan` requires an approved plan first.",
    ),
    isolation,
    cwd: z.string().optional().describe("The directory to work in (gated); not together with isolation `worktree`."),
  })
  .meta({
    title: "Agent input",
    description: "Starts an agent; called Task up to client 2.1.62.",
    examples: [
      {
        description: "review parser bug",
        prompt: "Review the parser changes and identify correctness risks.",
        subagent_type: "code-reviewer",
      },
    ],
  });
export type AgentInput202602 = z.infer<typeof AgentInput202602>;

/** The Agent input of revision 2026-11. */
export const AgentInput202611 = z
  .looseObject({
    description,
    prompt,
    subagent_type: subagent_type.describe("The agent type to run, or `fork`; if omitted, general-purpose."),
    model: z.enum(["sonnet", "opus", "haiku", "fable"]).optional().describe("Overrides the model of the definition."),
    effort: z.enum(["low", "medium", "high", "xhigh", "max"]).optional().describe("The effort the model should use."),
    run_in_background: run_in_background.describe(
      "False runs in the foreground and waits for the result; non-interactive sessions only.",
    ),
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/)
      .optional()
      .describe("The agent's name for SendMessage; in an interactive session with teams the agent becomes a teammate."),
    team_name: z.string().optional().describe("Accepted and ignored: a session has one team."),
    mode: PermissionMode202611.exclude(["manual"])
      .optional()
      .describe("Accepted and ignored: a teammate starts in the lead's mode."),
    isolation,
  })
  .meta({
    title: "Agent input",
    description: "Starts an agent.",
    examples: [
      {
        description: "investigate flaky tests",
        prompt: "Investigate flaky tests without editing files yet.",
        subagent_type: "general-purpose",
        name: "flaky-investigator",
      },
    ],
  });
export type AgentInput202611 = z.infer<typeof AgentInput202611>;

/** The Agent tool. */
export const agentTool = defineToolBoundary({
  name: "Agent",
  aliases: ["Task"],
  input: { "2026-02": AgentInput202602, "2026-11": AgentInput202611 },
  output: { "2026-02": AgentResult, "2026-11": AgentResult },
});

/** The conditions that decide which fields a model sees. */
export interface AgentInputGates {
  readonly isBackgroundDisabled: boolean;
  /**
   * Every call runs in the background anyway: forks are on, or (2026-11) the session is
   * interactive.
   */
  readonly isForkEnabled: boolean;
  readonly isCwdEnabled: boolean;
  readonly isRemoteEnabled: boolean;
}

/** The input schema shown to a model. Calls are still validated with the whole schema. */
export function visibleAgentInput(revision: Revision, gates: AgentInputGates): z.ZodObject {
  const whole: z.ZodObject = agentTool.input[revision];
  const hidden = new Set<string>();
  if (gates.isBackgroundDisabled || gates.isForkEnabled) hidden.add("run_in_background");
  if (!gates.isCwdEnabled) hidden.add("cwd");
  const shape = Object.fromEntries(Object.entries(whole.shape).filter(([field]) => !hidden.has(field)));
  return z.looseObject(gates.isRemoteEnabled ? shape : { ...shape, isolation: worktreeOnly }).meta(whole.meta() ?? {});
}

/** A rule beyond the schema: `cwd` and a worktree exclude each other. */
export const agentInputProblems = (input: { cwd?: unknown; isolation?: unknown }): Problem[] =>
  input.cwd === undefined || input.isolation !== "worktree"
    ? []
    : [
        {
          path: "/cwd",
          code: "field_invalid",
          message: "/cwd cannot be combined with isolation worktree, which has its own directory",
          fix: "leave out /cwd or /isolation",
        },
      ];
