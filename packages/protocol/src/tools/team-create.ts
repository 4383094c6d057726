import { z } from "zod";
import { documentSchemas } from "../revisions/published.ts";
import { defineToolBoundary } from "./boundary.ts";

/** The TeamCreate input. */
export const TeamCreateInput = z
  .looseObject({
    team_name: z.string().describe("The team's name, which becomes the name of its directory."),
    description: z.string().optional().describe("What the team is for."),
    agent_type: z.string().optional().describe("The type of the agent that leads."),
  })
  .meta({
    title: "TeamCreate input",
    description: "Creates a team that the caller leads.",
    examples: [{ team_name: "analysis-team", description: "Finds out why the build is slow" }],
  });
export type TeamCreateInput = z.infer<typeof TeamCreateInput>;

/** The TeamCreate tool. Revision 2026-11 lacks it: there every interactive session has its team. */
export const teamCreateTool = defineToolBoundary({
  name: "TeamCreate",
  aliases: [],
  input: { "2026-02": TeamCreateInput },
  output: { "2026-02": documentSchemas["2026-02"].team },
});
