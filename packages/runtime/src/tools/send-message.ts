import type { Revision } from "@troupe/protocol";
import {
  AddressedSendMessage,
  sendMessageTool as boundary,
  normaliseSendMessage,
  recipientUnreachable,
  type SendMessageOutput202602,
  type SendMessageRequest,
} from "@troupe/protocol/tools";
import { z } from "zod";
import type { AgentDelivery, AgentMessage } from "../agents/send.ts";
import { failed, said } from "../loop/outcome.ts";
import type { Tool, ToolContext, ToolOutcome } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";

export interface SendMessageDeps<Agent> {
  readonly revision: Revision;
  /**
   * True for an agent of this session that this process knows; all others are looked for on disk.
   */
  readonly isAgent: (to: string, context: ToolContext<Agent>) => boolean;
  /** Undefined where no agent of this session is meant. */
  readonly toAgent: (message: AgentMessage, context: ToolContext<Agent>) => Promise<AgentDelivery | undefined>;
  /** Carries a text to another session; absent where none can be reached. */
  readonly toSession?:
    | ((
        message: { readonly to: string; readonly text: string },
        context: ToolContext<Agent>,
      ) => Promise<{ readonly isSent: true } | { readonly refusal: string }>)
    | undefined;
  /** Why there is nobody of a name or id, and what to write to instead. */
  readonly whyUnknown?: ((to: string, context: ToolContext<Agent>) => string) | undefined;
  /**
   * Carries messages to the members of a team; undefined where nobody of that name is one.
   */
  readonly toTeam?: (
    request: SendMessageRequest,
    context: ToolContext<Agent>,
  ) => Promise<SendMessageOutput202602 | undefined>;
}

const urgent = z
  .boolean()
  .optional()
  .describe("Do not let the recipient finish its answer first; a tool that runs is never cut.");

/** One for all sessions: what is made of a schema is kept with it. */
const shown = AddressedSendMessage.extend({ urgent });

/** Says something to another agent: one that works, one that has ended, or a member of the team. */
export const sendMessageTool = <Agent>({
  revision,
  isAgent,
  toAgent,
  whyUnknown,
  toSession,
  toTeam = async () => undefined,
}: SendMessageDeps<Agent>): Tool<Agent> => {
  return typedTool({
    name: boundary.name,
    description:
      "Says something to another agent: to a member of the team by its name, or to an agent that you started, by its name or its agentId. One that works " +
      "hears it at its next round; one that has ended goes on from where it was, in the background. What you write outside of this tool reaches nobody but the user.",
    input: boundary.input[revision],
    shown,
    run: async (input, context) => {
      const { request, problems } = normaliseSendMessage(input, revision);
      if (!request) return failed(problems.map(({ message, fix }) => `${message}: ${fix}`).join("\n"));
      if ("to" in request && /^(bridge|uds):/.test(request.to ?? "")) return afar(request, context);
      const isKnown = request.kind === "message" && isAgent(request.to, context);
      const [first, second] = isKnown ? [agents, toTeam] : [toTeam, agents];
      const output =
        (await first(request, context)) ?? (await second(request, context)) ?? unreachable(request, context);
      return output.success ? said(JSON.stringify(output)) : failed(JSON.stringify(output));
    },
  });

  /** Another session is no member: it takes texts, and answers nothing of a handshake. */
  async function afar(request: SendMessageRequest, context: ToolContext<Agent>): Promise<ToolOutcome> {
    const refused = (message: string) => failed(JSON.stringify({ success: false, message }));
    if (request.kind !== "message")
      return refused("Another session takes plain text only: send words, and requests to members of the team.");
    const { to, text } = request;
    if (!toSession) return refused(`No other session can be reached from here, so nothing was sent to ${to}.`);
    const sent = await toSession({ to, text }, context);
    if ("refusal" in sent) return refused(`Nothing was sent to ${to}: ${sent.refusal}.`);
    return said(JSON.stringify({ success: true, message: `Message sent to ${to}` }));
  }

  async function agents(
    request: SendMessageRequest,
    context: ToolContext<Agent>,
  ): Promise<SendMessageOutput202602 | undefined> {
    if (request.kind !== "message") return undefined;
    const { to, text, isUrgent } = request;
    const delivery = await toAgent({ to, text, isUrgent }, context);
    switch (delivery?.kind) {
      case "waiting":
        return { success: true, message: `Message queued for ${to}: it is heard at the next round.` };
      case "refused":
        return { success: false, message: delivery.why };
      case "resumed": {
        const { id, outputFile } = delivery;
        const pin = { id, ...(to !== id && { name: to }) };
        return { success: true, message: `Resuming agent ${id}`, resumedAgentId: id, pin, outputFile };
      }
    }
    return undefined;
  }

  function unreachable(request: SendMessageRequest, context: ToolContext<Agent>) {
    const to = "to" in request ? (request.to ?? "the lead") : "*";
    const nobody = recipientUnreachable(to);
    const why = request.kind === "message" ? whyUnknown?.(to, context) : undefined;
    return why === undefined ? nobody : { ...nobody, message: `${nobody.message} ${why}` };
  }
};
