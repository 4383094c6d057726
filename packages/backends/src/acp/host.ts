import { type Agent, type AgentDeps, openAgent } from "./agent.ts";
import { type ConversationDeps, openConversation } from "./conversation.ts";
import { decideCalls } from "./decide.ts";
import type { AgentPreset } from "./presets.ts";

export interface HostDeps
  extends Omit<ConversationDeps, "server" | "mayEnd">,
    Pick<AgentDeps, "cwd" | "environment" | "server"> {
  readonly preset: AgentPreset;
  /** The session of an earlier process of this member, and where that of this one is kept. */
  readonly session: { read(): string | undefined; write(id: string): void };
}

/** How long an agent may take until it has a session: some load for ten seconds. */
const startMs = 60_000;

/** An answer of the lead that takes longer is no. */
const askMs = 10 * 60_000;

/**
 * Lets an agent of others take part as a member: mail is its prompts, and what it asks goes to the
 * lead. Ends when the member has agreed to end or the signal fires; rejects when the agent ends by
 * itself, with its last words.
 */
export async function hostAgent({ session, cwd, environment, server, ...deps }: HostDeps): Promise<void> {
  const { preset, mode, planModeRequired, newId, show } = deps;
  const { seat, granted, run } = await openConversation({
    ...deps,
    server: server.name,
    mayEnd: async () => ({ behavior: "allow" }),
  });
  let agent: Agent | undefined;
  try {
    const before = session.read();
    agent = await openAgent({
      preset,
      cwd,
      environment,
      server,
      startMs,
      resume: before,
      decide: decideCalls({ membership: seat.membership, granted, mode, planModeRequired, askMs, newId }),
      onCall: ({ id: call, title: tool }, phase) =>
        void seat.record(
          phase === "began"
            ? { kind: "tool", phase, call, tool }
            : { kind: "tool", phase: "ended", call, isError: phase === "failed" },
        ),
      show,
    });
    session.write(agent.sessionId);
    await seat.ready();
    await run(agent, agent.sessionId !== before);
  } finally {
    await agent?.close();
    await seat.close();
  }
}
