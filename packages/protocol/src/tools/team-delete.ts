import { z } from "zod";
import { defineToolBoundary } from "./boundary.ts";

/** A call of TeamDelete says nothing: it is about the team that the caller leads. */
export const TeamDeleteInput = z.looseObject({}).meta({
  title: "TeamDelete input",
  description: "Removes the caller's team with its inboxes and tasks; refused while teammates remain.",
  examples: [{}],
});
export type TeamDeleteInput = z.infer<typeof TeamDeleteInput>;

/**
 * The TeamDelete tool, which revision 2026-11 does not have: there a team goes with its session.
 */
export const teamDeleteTool = defineToolBoundary({
  name: "TeamDelete",
  aliases: [],
  input: { "2026-02": TeamDeleteInput },
  output: {},
});
