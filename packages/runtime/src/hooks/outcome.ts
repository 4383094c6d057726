import { stripVTControlCharacters } from "node:util";
import { type HookOutput, type HookPermissionAnswer, hookPermissionDecisions } from "@troupe/protocol/hooks";

/** The reply of one hook. */
export interface HookReply {
  readonly meaning: "pass" | "block" | "error";
  /** Why it blocks, or what went wrong. */
  readonly reason?: string;
  readonly output?: HookOutput | undefined;
  /** Words that decide nothing. */
  readonly text?: string;
}

/** The merged replies of all hooks of one event. */
export interface HookOutcome {
  /** Why the event must not pass. */
  readonly block?: string;
  /** The agent stops altogether, whatever else is said. */
  readonly stop?: { readonly reason: string };
  /** PreToolUse: the strongest decision. */
  readonly permission?: { readonly decision: (typeof hookPermissionDecisions)[number]; readonly reason: string };
  /** PermissionRequest: the answer in a person's place. */
  readonly answer?: HookPermissionAnswer;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** WorktreeCreate: the directory that was made. */
  readonly worktreePath?: string;
  /** Told to the model. */
  readonly context: readonly string[];
  /** Shown to the user. */
  readonly messages: readonly string[];
  /** Errors that did not keep the event from passing; shown to the user. */
  readonly errors: readonly string[];
}

/** The longest text that a hook can have passed on. */
const longest = 10_000;
const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}… (cut)` : text);

/**
 * Events that happen whatever a hook says; a refusal is shown like an error. PermissionRequest is
 * decided by an answer alone.
 */
const unstoppable = new Set([
  "Notification",
  "PermissionRequest",
  "PostCompact",
  "SessionEnd",
  "SessionStart",
  "SubagentStart",
  "WorktreeRemove",
]);

/** Events whose hooks speak to the model by what they print. */
const toldToModel = new Set(["PreCompact", "SessionStart", "UserPromptSubmit"]);

/**
 * Puts together what the hooks of one event said, in the order of the configuration: the strictest
 * decides, the last change of the input holds.
 */
export function mergeReplies(event: string, replies: readonly HookReply[]): HookOutcome {
  const misplaced = replies.flatMap(({ output }) => {
    const answered = output?.hookSpecificOutput?.hookEventName;
    return answered === undefined || answered === event
      ? []
      : [`its output is for the event ${answered}, but this event is ${event}`];
  });
  const specific = replies.flatMap(({ output }) =>
    output?.hookSpecificOutput?.hookEventName === event ? [output.hookSpecificOutput] : [],
  );
  const refusals = replies.flatMap(refusalOf);
  const isStoppable = !unstoppable.has(event);
  const permission = event === "PreToolUse" ? strongest(replies, specific, refusals) : undefined;
  const stop = replies.find(({ output }) => output?.continue === false)?.output;
  const answers = specific.flatMap(({ decision }) => decision ?? []);
  const answer = answers.find(({ behavior }) => behavior === "deny") ?? answers.at(-1);
  const updatedInput = specific.findLast((one) => one.updatedInput !== undefined)?.updatedInput;
  const worktreePath = event === "WorktreeCreate" ? pathOf(replies) : undefined;
  const printed = replies.flatMap(({ meaning, text }) =>
    toldToModel.has(event) && meaning === "pass" ? [text?.trim()] : [],
  );
  return {
    ...(isStoppable && refusals.length > 0 ? { block: cut(refusals.join("\n")) } : {}),
    ...(stop ? { stop: { reason: cut(stop.stopReason ?? "A hook stopped the agent.") } } : {}),
    ...(permission ? { permission } : {}),
    ...(answer ? { answer } : {}),
    ...(updatedInput ? { updatedInput } : {}),
    ...(worktreePath === undefined ? {} : { worktreePath }),
    context: texts([...printed, ...specific.map((one) => one.additionalContext)]),
    messages: texts(replies.map(({ output }) => output?.systemMessage)),
    errors: texts([
      ...replies.flatMap(({ meaning, reason }) => (meaning === "error" ? [reason] : [])),
      ...misplaced,
      ...(isStoppable ? [] : refusals),
    ]),
  };
}

const texts = (all: readonly (string | undefined)[]): string[] => all.flatMap((text) => (text ? [cut(text)] : []));

const refusalOf = ({ meaning, reason, output }: HookReply): string[] =>
  meaning === "block" || output?.decision === "block"
    ? [output?.reason || reason?.trim() || "A hook blocked it and gave no reason."]
    : [];

type Specific = NonNullable<HookOutput["hookSpecificOutput"]>;

function strongest(replies: readonly HookReply[], specific: readonly Specific[], refusals: readonly string[]) {
  const said = [
    ...refusals.map((reason) => ({ decision: "deny" as const, reason })),
    ...specific.flatMap(({ permissionDecision: decision, permissionDecisionReason: reason = "" }) =>
      decision ? [{ decision, reason }] : [],
    ),
    ...replies.flatMap(({ output }) =>
      output?.decision === "approve" ? [{ decision: "allow" as const, reason: output.reason ?? "" }] : [],
    ),
  ];
  const decision = hookPermissionDecisions.find((one) => said.some((other) => other.decision === one));
  const reasons = said.flatMap((one) => (one.decision === decision && one.reason ? [one.reason] : []));
  return decision && { decision, reason: cut(reasons.join("\n")) };
}

/** The directory over HTTP, or the last line that was printed, which may be coloured. */
const pathOf = (replies: readonly HookReply[]): string | undefined =>
  replies
    .filter(({ meaning }) => meaning === "pass")
    .flatMap(({ output, text = "" }) => {
      const lines = stripVTControlCharacters(text).split("\n");
      return output?.hookSpecificOutput?.worktreePath ?? lines.findLast((line) => line.trim() !== "")?.trim() ?? [];
    })[0];
