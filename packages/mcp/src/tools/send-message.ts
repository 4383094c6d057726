import { TroupeError } from "@troupe/protocol";
import { summaryOf } from "@troupe/protocol/tools";
import { z } from "zod";
import type { Hand } from "../room.ts";
import { defineTool } from "./tool.ts";

export const sendMessage = defineTool<Hand>()({
  name: "send_message",
  title: "Send a message",
  description:
    "Sends words to a member of the team; they are on disk when this returns. Nobody sees what you say elsewhere, so answer with this. A lead can write to `everyone`.",
  input: z.object({
    to: z.string().describe("The name of a member, or `lead`."),
    message: z.string().min(1),
    summary: z.string().optional().describe("A line that says what it is about."),
    urgent: z.boolean().optional().describe("Cut short what the member asks its model now, but no tool that runs."),
  }),
  output: z.object({ to: z.array(z.string()) }),
  async run({ to, message, summary = summaryOf(message), urgent }, { team, membership }) {
    const { value } = await team.config();
    const names = (value?.members ?? []).map(({ name }) => name);
    const isToAll = to === "everyone" && !names.includes(to);
    if (isToAll && !membership.isLead)
      throw new TroupeError("recipient_unknown", `only ${membership.lead} can write to everyone: name one member`);
    const name = to === "lead" && !names.includes(to) ? membership.lead : to;
    const sent = await membership.send(
      isToAll
        ? { kind: "broadcast", text: message, summary }
        : {
            kind: "message",
            to: name,
            text: message,
            summary,
            notifyWhenIdle: false,
            ...(urgent && { isUrgent: true }),
          },
    );
    if (!sent)
      throw new TroupeError("recipient_unknown", `there is no member ${to}: choose one of ${names.join(", ")}`);
    if (!sent.success) throw new TroupeError("arguments_invalid", sent.message);
    const reached = isToAll ? names.filter((one) => one !== membership.self.name) : [name];
    return { value: { to: reached }, text: `Sent to ${reached.join(", ")}.` };
  },
});
