import { z } from "zod";
import { PermissionUpdate } from "../permissions.ts";
import { type Problem, problemsOf } from "../problems.ts";

/** The decisions of a PreToolUse hook, in order of precedence. */
export const hookPermissionDecisions = ["deny", "defer", "ask", "allow"] as const;

const updatedInput = z.record(z.string(), z.unknown()).optional().describe("Arguments to use in place of those given.");

/** The answer of a PermissionRequest hook in the place of a person. */
export const HookPermissionAnswer = z
  .discriminatedUnion("behavior", [
    z.looseObject({
      behavior: z.literal("allow").describe("The call is allowed."),
      updatedInput,
      updatedPermissions: z.array(PermissionUpdate).optional().describe("Permission updates for later calls."),
    }),
    z.looseObject({
      behavior: z.literal("deny").describe("The call is denied."),
      message: z.string().optional().describe("What the model is told."),
      interrupt: z.boolean().optional().describe("True: the turn ends as well."),
    }),
  ])
  .meta({
    title: "Hook permission answer",
    description: "The answer of a PermissionRequest hook in the place of a person.",
    examples: [{ behavior: "deny", message: "Not on the main branch" }],
  });
export type HookPermissionAnswer = z.infer<typeof HookPermissionAnswer>;

/** The output of a hook, on standard output or over HTTP. */
export const HookOutput = z
  .looseObject({
    continue: z.boolean().optional().describe("False: the agent stops, whatever the other fields say."),
    stopReason: z.string().optional().describe("Shown to the user when `continue` is false."),
    suppressOutput: z.boolean().optional().describe("True: the output is not shown."),
    systemMessage: z.string().optional().describe("Shown to the user."),
    decision: z.enum(["block", "approve"]).optional().describe("`block` blocks the event; `approve` is obsolete."),
    reason: z.string().optional().describe("The reason for `decision`; shown to the model."),
    hookSpecificOutput: z
      .looseObject({
        hookEventName: z.string().describe("The event this answers."),
        permissionDecision: z
          .enum(hookPermissionDecisions)
          .optional()
          .describe("PreToolUse: the decision about the call."),
        permissionDecisionReason: z.string().optional().describe("Why."),
        updatedInput,
        additionalContext: z.string().optional().describe("Text added to the model's context."),
        decision: HookPermissionAnswer.optional().describe("PermissionRequest: the answer."),
        worktreePath: z.string().optional().describe("WorktreeCreate over HTTP: the directory that was created."),
      })
      .optional()
      .describe("Fields that belong to this event."),
  })
  .meta({
    title: "Hook output",
    description: "What a hook may print on its standard output, or answer over HTTP, to decide about the event.",
    examples: [
      {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: "Writes outside the project",
        },
      },
    ],
  });
export type HookOutput = z.infer<typeof HookOutput>;

/** The model's answer to a prompt or agent hook. */
export const PromptHookAnswer = z
  .looseObject({
    ok: z.boolean().describe("True: the event is not blocked."),
    reason: z.string().optional().describe("Why the event is blocked; shown to the agent."),
    impossible: z.boolean().optional().describe("True: a retry cannot succeed."),
  })
  .meta({
    title: "Prompt hook answer",
    description: "What the model of a prompt or agent hook answers.",
    examples: [{ ok: false, reason: "The tests were not run" }],
  });
export type PromptHookAnswer = z.infer<typeof PromptHookAnswer>;

/** The exit codes with a meaning of their own. */
export const hookExitCodes = { pass: 0, block: 2 } as const;

/**
 * Interprets the exit of a command hook. An error is shown and the event passes. A killed hook has
 * no code. A hook that creates worktrees blocks with every code but 0, since there is no directory
 * then.
 */
export function exitMeaning(event: string, code: number | null): "pass" | "block" | "error" {
  if (code === hookExitCodes.pass) return "pass";
  return code === hookExitCodes.block || event === "WorktreeCreate" ? "block" : "error";
}

/**
 * Parses a hook's output. Text that does not start like a JSON object is no decision, and no error.
 */
export function readHookOutput(stdout: string): { output: HookOutput | undefined; problems: Problem[] } {
  if (!stdout.trimStart().startsWith("{")) return { output: undefined, problems: [] };
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch {
    const message = "the output begins like JSON and is none";
    const fix = "print one JSON object and nothing else";
    return { output: undefined, problems: [{ path: "", code: "document_malformed", message, fix }] };
  }
  const parsed = HookOutput.safeParse(value);
  return parsed.success
    ? { output: value as HookOutput, problems: [] }
    : { output: undefined, problems: problemsOf(parsed.error, value) };
}

/**
 * Fills the prompt of a prompt or agent hook: the event replaces `$ARGUMENTS`, or is appended
 * without it.
 */
export function promptWithInput(prompt: string, input: object): string {
  const json = JSON.stringify(input);
  // A replacement function, since a string would give `$&` and the like in the event a meaning.
  return prompt.includes("$ARGUMENTS") ? prompt.replaceAll("$ARGUMENTS", () => json) : `${prompt}\n\n${json}`;
}
