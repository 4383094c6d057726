import { z } from "zod";
import { defineToolBoundary } from "./boundary.ts";

const allowedPrompts = z
  .array(
    z.looseObject({
      tool: z.enum(["Bash"]).describe("The tool."),
      prompt: z.string().describe("What it will be used for."),
    }),
  )
  .optional()
  .describe("The permissions the plan will need.");

/** The ExitPlanMode input of revision 2026-02. The plan itself is in the plan file. */
export const ExitPlanModeInput202602 = z
  .looseObject({
    allowedPrompts,
    pushToRemote: z.boolean().optional().describe("Carry the plan out in a remote session."),
    remoteSessionId: z.string().optional().describe("The id of that session."),
    remoteSessionUrl: z.string().optional().describe("Where to watch it."),
    remoteSessionTitle: z.string().optional().describe("Its title."),
  })
  .meta({
    title: "ExitPlanMode input",
    description: "Submits the plan in the plan file.",
    examples: [{ allowedPrompts: [{ tool: "Bash", prompt: "run the tests" }] }],
  });
export type ExitPlanModeInput202602 = z.infer<typeof ExitPlanModeInput202602>;

/** The ExitPlanMode input of revision 2026-11. The plan itself is in the plan file. */
export const ExitPlanModeInput202611 = z.looseObject({ allowedPrompts }).meta({
  title: "ExitPlanMode input",
  description: "Submits the plan in the plan file.",
  examples: [{ allowedPrompts: [{ tool: "Bash", prompt: "run the tests" }] }],
});
export type ExitPlanModeInput202611 = z.infer<typeof ExitPlanModeInput202611>;

/** The result of ExitPlanMode. */
export const ExitPlanModeOutput = z
  .looseObject({
    awaitingLeaderApproval: z
      .boolean()
      .optional()
      .describe("True if the plan now waits for the lead; the agent stays in plan mode."),
    requestId: z.string().optional().describe("The id of the plan_approval_request that was sent."),
  })
  .meta({
    title: "ExitPlanMode output",
    description: "Whether the plan waits for the lead; otherwise plan mode is left, or was not on.",
    examples: [{ awaitingLeaderApproval: true, requestId: "plan_approval-1770979387887@planner-01@advanced-verify" }],
  });
export type ExitPlanModeOutput = z.infer<typeof ExitPlanModeOutput>;

/** The ExitPlanMode tool. */
export const exitPlanModeTool = defineToolBoundary({
  name: "ExitPlanMode",
  aliases: [],
  input: { "2026-02": ExitPlanModeInput202602, "2026-11": ExitPlanModeInput202611 },
  output: { "2026-02": ExitPlanModeOutput, "2026-11": ExitPlanModeOutput },
});

/**
 * The text the model sees. Outside plan mode the call succeeds without effect, with the same text
 * as an approval.
 */
export const exitPlanModeText = ({ awaitingLeaderApproval, requestId }: ExitPlanModeOutput): string =>
  awaitingLeaderApproval
    ? `The plan has been sent to the lead (request ${requestId ?? "without id"}). Stay in plan mode until the lead has answered.`
    : "User has approved exiting plan mode";
