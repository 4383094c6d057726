import type { Agent } from "../agent/agent.ts";
import { readSubagentMeta, subagentsOf } from "../journal/files.ts";
import { textBlocks } from "../queue.ts";
import { type Resumed, resume } from "./resume.ts";

/** Words for an agent, by its name or its id. */
export interface AgentMessage {
  readonly to: string;
  readonly text: string;
  /** Its request to the model is ended for them. */
  readonly isUrgent?: true | undefined;
}

/** The outcome of a delivery. */
export type AgentDelivery =
  /** It hears them at its next round; what it runs is not interrupted. */
  | { readonly kind: "waiting"; readonly id: string }
  /** It had ended, and works again in the background. */
  | { readonly kind: "resumed"; readonly id: string; readonly outputFile: string }
  | { readonly kind: "refused"; readonly why: string };

/**
 * Tells an agent something, whether it works or has ended; undefined where there is none of this
 * name or id.
 */
export async function sendToAgent(
  { to, text, isUrgent }: AgentMessage,
  signal: AbortSignal,
  sender: Agent,
): Promise<AgentDelivery | undefined> {
  const { jobs, queue, resuming, show } = sender.session;
  const id = jobs.find(to)?.id ?? to;
  if (id === sender.id) return { kind: "refused", why: "that is you; continue with your work instead" };
  // Two messages to one that has ended set it to work once.
  for (let other = resuming.get(id); other; other = resuming.get(id)) await other.catch(() => {});
  const job = jobs.find(id);
  if (job?.status() === "running") {
    const priority = isUrgent ? "now" : "next";
    queue.enqueue({ mode: "prompt", origin: { kind: "caller" }, priority, content: textBlocks(text), agent: id });
    void job.settled.then(hearLate);
    return { kind: "waiting", id };
  }
  const resumed = await setToWork(text);
  if (!resumed) return undefined;
  return "refusal" in resumed
    ? { kind: "refused", why: resumed.refusal }
    : { kind: "resumed", id, outputFile: resumed.job.outputFile };

  function setToWork(words: string): Promise<Resumed | undefined> {
    const starting = resume(id, words, signal, sender).finally(() => resuming.delete(id));
    resuming.set(id, starting);
    return starting;
  }

  /** Sends messages again that came in the agent's last moment and were not heard. */
  async function hearLate(): Promise<void> {
    const late = [];
    for (let one = queue.take(["prompt"], id); one; one = queue.take(["prompt"], id)) late.push(...one.content);
    if (late.length === 0) return;
    const words = late.map((block) => String(block["text"])).join("\n\n");
    const failed = (why: string) => show(`A message to ${to} was not delivered: ${why}`);
    await sendToAgent({ to: id, text: words }, signal, sender).then(
      (delivery) => delivery?.kind === "refused" && failed(delivery.why),
      (error: Error) => failed(error.message),
    );
  }
}

/** Why there is no agent of this name or id, and what to write to instead. */
export function whyUnknown(to: string, { session }: Pick<Agent, "session">): string {
  const { machine, project, sessionId, jobs } = session;
  const owner = { root: machine.root, cwd: project, sessionId };
  const had = subagentsOf(owner).filter((agentId) => readSubagentMeta({ ...owner, agentId })?.name === to);
  if (had.length > 0) return `A name lasts as long as its process; write to ${had.join(" or ")}, which had it before.`;
  if (/^a[\w-]*[0-9a-f]{16}$/.test(to)) return "No transcript of an agent of this id is left, so it cannot go on.";
  const known = jobs.all().map(({ name, id }) => (name === undefined ? id : `${name} (${id})`));
  return known.length > 0 ? `Agents are ${known.join(", ")}.` : "No agent has been started in this process.";
}
