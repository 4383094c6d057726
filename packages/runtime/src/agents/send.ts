import { type CommandDraft, textBlocks } from "../queue.ts";
import type { LaunchDeps } from "./launch.ts";
import type { Parent } from "./parent.ts";
import { resume } from "./resume.ts";

/** Words for an agent, by its name or its id. */
export interface AgentMessage {
  readonly to: string;
  readonly text: string;
}

/** What became of them. */
export type AgentDelivery =
  /** It hears them at its next round; what it runs is not interrupted. */
  | { readonly kind: "waiting"; readonly id: string }
  /** It had ended, and works again in the background. */
  | { readonly kind: "resumed"; readonly id: string; readonly outputFile: string }
  | { readonly kind: "refused"; readonly why: string };

/** Tells an agent something, whether it works or has ended; undefined where there is none of this name or id. */
export async function sendToAgent(
  { to, text }: AgentMessage,
  signal: AbortSignal,
  parent: Parent,
  deps: LaunchDeps,
): Promise<AgentDelivery | undefined> {
  const { jobs, queue } = deps.household;
  const job = jobs.find(to);
  const id = job?.id ?? to;
  if (job?.status() === "running") {
    const draft: CommandDraft = { mode: "prompt", origin: { kind: "caller" }, content: textBlocks(text), agent: id };
    queue.enqueue(draft);
    // What came in its very last moment was heard by nobody.
    void job.settled.then(async () => {
      const late = queue.take(["prompt"], id);
      if (late) await resume(id, text, signal, parent, deps);
    });
    return { kind: "waiting", id };
  }
  const resumed = await resume(id, text, signal, parent, deps);
  if (!resumed) return undefined;
  return "refusal" in resumed
    ? { kind: "refused", why: resumed.refusal }
    : { kind: "resumed", id, outputFile: resumed.job.outputFile };
}
