import { z } from "zod";
import type { LeadSeat } from "../room.ts";
import { defineTool } from "./tool.ts";

export const spawnMember = defineTool<LeadSeat>()({
  name: "spawn_member",
  title: "Start a teammate",
  description:
    "Starts an agent of its own as a member of your team and gives it its first prompt. It knows nothing of your conversation. It works on by itself, and writes to you.",
  input: z.object({
    name: z.string().min(1).describe("What others call it."),
    prompt: z.string().min(1).describe("Its work, with everything that it needs to know."),
    agent_type: z.string().optional().describe("An agent definition; general-purpose if it is not said."),
    model: z.string().optional(),
    backend: z
      .string()
      .optional()
      .describe("Where it runs, if not in the usual place; an error names those there are."),
  }),
  output: z.object({ name: z.string(), backend: z.string(), model: z.string() }),
  async run({ agent_type: agentType, ...wish }, { crew }, signal) {
    const value = { ...(await crew.spawn({ ...wish, agentType }, signal)) };
    return { value, text: `${value.name} works in ${value.backend}, with ${value.model}.` };
  },
});
