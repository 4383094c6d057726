import { McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { isTroupeError, messageOf } from "@troupe/protocol";
import { offerPrompts } from "./prompts.ts";
import { offerResources } from "./resources.ts";
import type { Hand, LeadSeat, Room, Seat } from "./room.ts";
import { handTools, leadTools, observerTools, seatTools } from "./tools/index.ts";
import type { Said, TeamTool } from "./tools/tool.ts";

/**
 * What a client is, which decides what it is offered; it never says so itself. A seat is taken when
 * it is first needed: some clients start a server only to ask which protocol it speaks.
 */
export type Place = { readonly room: Room } & (
  | { readonly role: "observer" }
  | { readonly role: "hand"; readonly seat: () => Promise<Hand> }
  | { readonly role: "member"; readonly seat: () => Promise<Seat> }
  | { readonly role: "lead"; readonly seat: () => Promise<LeadSeat> }
);

const instructions: Readonly<Record<Place["role"], (room: Room) => string>> = {
  observer: ({ team }) => `You look at the team ${team.name} of coding agents, and can change nothing in it.`,
  hand: ({ team, self }) =>
    `You are ${self} in the team ${team.name} of coding agents. Others see only what you send with send_message. Take work with claim_task, finish it with complete_task. Messages to you come as prompts.`,
  member: ({ team, self }) =>
    `You are ${self} in the team ${team.name} of coding agents. Others see only what you send with send_message. Take work with claim_task, finish it with complete_task, and when nothing is left to do call read_mail with wait_seconds and a report.`,
  lead: ({ team, self }) =>
    `You are ${self} and lead the team ${team.name} of coding agents. Put the work into create_task, start teammates with spawn_member, and stay in read_mail with wait_seconds: what they say and ask comes there. Answer requests with answer_request.`,
};

const progressMs = 5_000;

/**
 * A server for one client in one place; `version` is that of the program. Whether it can tell the
 * client of changes is for its transport to say.
 */
export function teamServer(place: Place, version: string, { isTold }: { readonly isTold: boolean }): McpServer {
  const { room } = place;
  const server = new McpServer(
    { name: "troupe", version, title: `The team ${room.team.name}` },
    { capabilities: { resources: isTold ? { subscribe: true } : {} }, instructions: instructions[place.role](room) },
  );
  const open: () => Promise<Room> = place.role === "observer" ? async () => room : place.seat;
  for (const tool of observerTools) offer(server, tool, open);
  if (place.role !== "observer") for (const tool of handTools) offer<Hand>(server, tool, place.seat);
  if (place.role === "member" || place.role === "lead")
    for (const tool of seatTools) offer<Seat>(server, tool, place.seat);
  if (place.role === "lead") for (const tool of leadTools) offer(server, tool, place.seat);
  offerResources(server, room);
  offerPrompts(server, place.role, room);
  return server;
}

function offer<In extends Room>(server: McpServer, tool: TeamTool<In>, open: () => Promise<In>): void {
  const { name, title, description, input, output } = tool;
  const annotations = {
    readOnlyHint: tool.isReadOnly ?? false,
    destructiveHint: tool.isDestructive ?? false,
    idempotentHint: tool.isReadOnly ?? tool.isIdempotent ?? false,
    openWorldHint: false,
  };
  server.registerTool(
    name,
    { title, description, inputSchema: input, outputSchema: output, annotations },
    async (given, context) => {
      const stop = tellProgress(context);
      try {
        return answerOf(await tool.run(given, await open(), context.mcpReq.signal));
      } catch (error) {
        const code = isTroupeError(error) ? `${error.code}: ` : "";
        return { isError: true, content: [{ type: "text", text: `${code}${messageOf(error)}` }] };
      } finally {
        stop();
      }
    },
  );
}

const answerOf = ({ value, text }: Said<object>) => ({
  structuredContent: { ...value },
  content: [{ type: "text" as const, text: text ?? JSON.stringify(value) }],
});

/**
 * Tells a client that asked for it that its call is still at work, until what this returns is
 * called: some give up on a call that is silent for long.
 */
function tellProgress({ mcpReq }: ServerContext): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  const telling = setInterval(() => {
    progress += 1;
    const params = { progressToken, progress, message: "still at work" };
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  }, progressMs);
  return () => clearInterval(telling);
}
