import { timeLimit } from "@troupe/store";
import type { Incoming, TurnEnd } from "@troupe/team";
import { z } from "zod";
import type { Seat } from "../room.ts";
import { defineTool } from "./tool.ts";

/** Clients give up on calls that take a minute. */
const longestWaitSeconds = 50;

const Mail = z.object({
  messages: z.array(
    z.object({
      from: z.string(),
      at: z.string().describe("When it was sent, in UTC."),
      summary: z.string().optional(),
      text: z.string().describe("What it says, or what a request asks."),
      notes: z
        .array(z.string())
        .optional()
        .describe("What the message came to, from the team and not from its sender."),
      request: z
        .object({ id: z.string(), kind: z.enum(["permission", "plan", "shutdown"]) })
        .optional()
        .describe("It waits for your answer_request."),
    }),
  ),
});

export const readMail = defineTool<Seat>()({
  name: "read_mail",
  title: "Read your mail",
  description:
    "Gives you your new messages, oldest first. Calling it again says that you have those before; until then they stay unread, and come again if you are gone. Nothing to do? Call it with `wait_seconds` and a `report`: your lead is told that you are idle, and mail wakes you.",
  input: z.object({
    wait_seconds: z.number().min(0).max(longestWaitSeconds).optional().describe("How long to wait for mail: 0 to 50."),
    report: z.string().optional().describe("What you have done since your last report, for your lead."),
    failed: z.string().optional().describe("Where your work is not done: why."),
  }),
  output: Mail,
  async run({ wait_seconds = 0, report, failed }, seat, signal) {
    const until = wait_seconds > 0 ? AbortSignal.any([signal, timeLimit(wait_seconds * 1_000)]) : AbortSignal.abort();
    const messages = await seat.read(until, endOf(report, failed));
    const value = { messages: messages.map(shown) };
    return { value, text: messages.map(told).join("\n\n") || "No new mail." };
  },
});

function endOf(text: string | undefined, failed: string | undefined): TurnEnd | undefined {
  if (text === undefined && failed === undefined) return undefined;
  return { text: text ?? "", ...(failed !== undefined && { failure: { why: "reported", message: failed } }) };
}

const shown = ({
  message: { entry },
  texts,
  entry: { opens },
}: Incoming): z.infer<typeof Mail>["messages"][number] => ({
  from: entry.from,
  at: entry.timestamp,
  ...(entry.summary && { summary: entry.summary }),
  text: entry.text,
  ...(!opens && texts.length > 1 && { notes: texts.slice(1) }),
  ...(opens && { request: { id: opens.id, kind: opens.handshake } }),
});

/** In the envelope that tells whose words they are, and how to answer with the tools there are. */
function told({ texts, entry: { opens, from } }: Incoming): string {
  if (!opens) return texts.join("\n");
  const ask = JSON.stringify({ id: opens.id, from, approve: true });
  return `${texts[0]}\nAnswer with answer_request ${ask}, or with approve false and a note that says why.`;
}
