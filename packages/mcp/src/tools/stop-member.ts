import { TroupeError } from "@troupe/protocol";
import { z } from "zod";
import type { LeadSeat } from "../room.ts";
import { defineTool } from "./tool.ts";

export const stopMember = defineTool<LeadSeat>()({
  name: "stop_member",
  title: "End a teammate",
  description:
    "Asks a teammate to end; its answer comes with read_mail, and it may refuse. With `force` it is ended at once, with all of its processes, and its tasks are given back.",
  input: z.object({
    name: z.string(),
    reason: z.string().optional(),
    force: z.boolean().optional(),
  }),
  output: z.object({ name: z.string(), ended: z.boolean().describe("False where it was only asked.") }),
  isDestructive: true,
  async run({ name, reason = "", force }, { membership, crew }) {
    const unknown = () =>
      new TroupeError("member_unknown", `there is no member ${name}: team_status shows all`, { name });
    if (force) {
      if (!(await crew.end(name))) throw unknown();
      return { value: { name, ended: true }, text: `${name} has ended.` };
    }
    const sent = await membership.send({ kind: "shutdown_request", to: name, reason });
    if (!sent) throw unknown();
    if (!sent.success) throw new TroupeError("arguments_invalid", sent.message);
    return { value: { name, ended: false }, text: `${name} is asked to end.` };
  },
});
