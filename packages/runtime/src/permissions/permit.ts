import { coversTool, formerToolNames, messageOf, type PermissionUpdate } from "@troupe/protocol";
import { type Ask, type CallQuestion, denied, type Reply, takenBack } from "@troupe/team";
import type { Judgement, PendingCall, Reach } from "../loop/tool.ts";
import type { Advice, Advisor } from "./advice.ts";
import { judgeReach } from "./judge-reach.ts";
import { allowed, allowing, type Ground, type Ruling, ruled, strictest } from "./ruling.ts";

/** Tools that only move work and words around; in the mode delegate there are no others. */
const coordinationTools: ReadonlySet<string> = new Set([
  ...["Agent", "SendMessage", "TeamCreate", "TeamDelete", "ListAgents", "SubagentHandback"],
  ...["TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TaskOutput", "TaskStop", "TodoWrite"],
  ...["AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "ToolSearch", "WaitForMcpServers"],
]);

/**
 * The judgement of a call before any question. It looks at the disk to follow links, and changes
 * nothing.
 */
export function judgeCall(ground: Ground, { tool, input }: Pick<PendingCall, "tool" | "input">): Ruling {
  const { name } = tool.definition;
  const forbidding = (["deny", "ask"] as const)
    .flatMap((behavior) => ground.rules.filter((rule) => rule.behavior === behavior))
    .find((rule) => coversTool(rule.tool, name) && (rule.isInput?.(input) ?? rule.isWhole));
  if (forbidding?.behavior === "deny") return ruled(forbidding);
  return inMode(ground, strictest([...(forbidding ? [ruled(forbidding)] : []), ...rulings()]));

  function rulings(): readonly Ruling[] {
    const isCoordination = coordinationTools.has(formerToolNames.get(name) ?? name);
    if (ground.mode === "delegate" && !isCoordination) {
      return [{ behavior: "deny", reason: `delegate mode does not run ${name}; delegate the work to an agent` }];
    }
    const reaches = reachesOf();
    if (reaches) return reaches.map((reach) => judgeReach(ground, name, reach));
    if (isCoordination) return [allowed("it only coordinates")];
    // A rule to allow was written for work, and what a server says of its tools is at best true:
    // both are needed.
    if (ground.mode === "plan" && tool.isReadOnly !== true)
      return [{ behavior: "deny", reason: `plan mode changes nothing, and ${name} is not declared as read-only` }];
    const rule = ground.rules.find(
      (one) => one.behavior === "allow" && coversTool(one.tool, name) && (one.isInput?.(input) ?? one.isWhole),
    );
    if (rule) return [allowed(`allowed by the rule ${rule.text} (${rule.source})`, rule)];
    return [{ behavior: "ask", reason: `it is not known what ${name} does`, suggestions: [allowing(name)] }];
  }

  function reachesOf(): readonly Reach[] | undefined {
    try {
      return tool.reaches?.(input, ground.cwd);
    } catch {
      return undefined;
    }
  }
}

/** The outcome of a question in a mode that asks nobody. */
function inMode({ mode, asksNobody = mode === "dontAsk" }: Ground, ruling: Ruling): Ruling {
  if (ruling.behavior !== "ask") return ruling;
  if (mode === "bypassPermissions" && !ruling.holds) return allowed("permissions are bypassed");
  if (!asksNobody) return ruling;
  const reason = `${ruling.reason}, and the mode dontAsk denies what no rule allows`;
  return { ...ruling, behavior: "deny", reason, suggestions: [] };
}

/** The way in which questions about calls are answered. */
export interface Asking {
  readonly ask: Ask;
  /** How long a question waits for its answer. */
  readonly timeoutMs: number;
  readonly newId: () => string;
  /** Ends the turn: the person wants no further call. */
  readonly interrupt?: (reason: string) => void;
}

/** Dependencies of the decision whether a call runs. */
interface PermitDeps extends Asking {
  readonly judge: (call: Pick<PendingCall, "tool" | "input">) => Ruling;
  /** Takes what an answer grants for later. */
  readonly apply: (updates: readonly PermissionUpdate[]) => Promise<unknown>;
}

/**
 * Whether a call runs: what the advisor says of it, what it is judged to be then, and the answer to
 * what is still a question.
 */
export async function permitCall(
  pending: PendingCall,
  advisor: Advisor,
  signal: AbortSignal,
  { judge, apply, ask, timeoutMs, newId, interrupt }: PermitDeps,
): Promise<Judgement> {
  const advice = (await advisor.before?.(pending, signal)) ?? {};
  if (signal.aborted) return { runs: false, message: "The call was cancelled before it was judged." };
  if ("refusal" in advice) return { runs: false, message: advice.refusal };
  const { notes } = advice;
  const call = { ...pending, input: advice.input ?? pending.input };
  const ruling = advised(judge(call), advice);
  if (ruling.behavior === "allow") return { runs: true, input: call.input, bounds: ruling.bounds, notes };
  const tool = call.tool.definition.name;
  const refusal = (why: string): Judgement => ({ runs: false, message: `${tool} was not run: ${why}.` });
  if (ruling.behavior === "deny") return refusal(ruling.reason);
  let settled: Reply | undefined;
  const question = {
    id: newId(),
    call: call.id,
    tool,
    input: call.input,
    reason: ruling.reason,
    suggestions: ruling.suggestions ?? [],
    recheck: () => {
      settled = replyOf(advised(judge(call), advice));
      return settled;
    },
  };
  const asked: Ask = async (one, until) => (await advisor.answer?.(one, until)) ?? ask(one, until);
  const reply = await answerTo(asked, question, timeoutMs, signal);
  if (reply.behavior === "deny") {
    if (reply.interrupt) interrupt?.(reply.message);
    return refusal(reply.message);
  }
  await apply(reply.updates ?? []);
  const noted = reply.note ? [...(notes ?? []), `The call was approved with a note: ${reply.note}`] : notes;
  const input = reply.updatedInput ?? call.input;
  // An allowed call may be changed with the answer, but not into one that a rule denies.
  const changed = judge({ tool: call.tool, input });
  if (changed.behavior === "deny") return refusal(changed.reason);
  // Nobody has looked at a call that settled itself meanwhile.
  return { runs: true, input, bounds: reply === settled ? changed.bounds : undefined, notes: noted };
}

/** An answer that nobody needs to give any more. */
function replyOf({ behavior, reason }: Ruling): Reply | undefined {
  if (behavior === "ask") return undefined;
  return behavior === "allow" ? { behavior } : { behavior, message: reason };
}

/** Advice to allow spares a question and no denial. */
function advised(ruling: Ruling, { behavior, reason }: Exclude<Advice, { refusal: string }>): Ruling {
  if (ruling.behavior === "deny" || behavior === undefined) return ruling;
  if (behavior === "allow") return ruling.holds ? ruling : { behavior: "allow", reason: reason ?? "a hook allows it" };
  const because = { behavior, reason: reason ?? "a hook asks for confirmation", holds: true };
  return strictest([because, ruling]);
}

/**
 * One answer to one question: the first, or a denial when the time is over, the signal fires or
 * asking fails.
 */
async function answerTo(ask: Ask, question: CallQuestion, timeoutMs: number, signal: AbortSignal): Promise<Reply> {
  const over = new AbortController();
  let resolve: (reply: Reply) => void = () => {};
  const answered = new Promise<Reply>((settle) => {
    resolve = settle;
  });
  const timer = setTimeout(() => resolve(denied(`nobody answered within ${timeoutMs} ms`)), timeoutMs);
  const stop = () => resolve(takenBack);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  else {
    const asked = Promise.resolve().then(() => ask(question, over.signal));
    asked.then(resolve, (error: unknown) => resolve(denied(`nobody could be asked: ${messageOf(error)}`)));
  }
  try {
    return await answered;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    over.abort();
  }
}
