import { TroupeError } from "@troupe/protocol";
import type { HeardRequest } from "@troupe/team";
import { z } from "zod";
import type { Seat } from "../room.ts";
import { defineTool } from "./tool.ts";

export const answerRequest = defineTool<Seat>()({
  name: "answer_request",
  title: "Answer a request",
  description:
    "Answers a request from your mail: of a lead's teammates a permission or a plan, of a teammate its lead's request to end. The first answer counts. A note with an approval is sent right behind it; with a refusal it says why.",
  input: z.object({
    id: z.string().describe("The id of the request."),
    approve: z.boolean(),
    note: z.string().optional(),
    from: z.string().optional().describe("Who asked, where two requests have the same id."),
  }),
  output: z.object({ id: z.string(), from: z.string(), approved: z.boolean() }),
  async run({ id, approve, note = "", from: asker }, seat) {
    const request = only(id, asker, await seat.requestsOf(id));
    const { from } = request;
    if (!approve && note === "" && request.kind !== "permission")
      throw new TroupeError("arguments_invalid", "a refusal needs a note that says why", { field: "note" });
    await answer(request, approve, note, seat);
    return { value: { id, from, approved: approve }, text: `${from} is told: ${approve ? "approved" : "refused"}.` };
  },
});

function only(id: string, asker: string | undefined, found: readonly HeardRequest[]): HeardRequest {
  const asked = found.filter(({ from }) => asker === undefined || from === asker);
  const [request, another] = asked;
  if (request && !another) return request;
  if (!request)
    throw new TroupeError(
      "arguments_invalid",
      `no request ${id} waits for your answer: read_mail gives those that do, with their ids`,
      { id },
    );
  const names = asked.map(({ from }) => from).join(" and ");
  throw new TroupeError("arguments_invalid", `${names} have a request ${id} each: say from whom`, { field: "from" });
}

async function answer({ id, from, kind }: HeardRequest, approve: boolean, note: string, { membership }: Seat) {
  if (kind === "permission") {
    const reply = approve
      ? ({ behavior: "allow", note: note || undefined } as const)
      : ({ behavior: "deny", message: note || `${membership.self.name} refused it` } as const);
    if (await membership.answer(from, id, reply)) return;
    throw new TroupeError(
      "arguments_invalid",
      `the request ${id} of ${from} is answered already, and nothing is left to answer`,
      { id },
    );
  }
  const about = { to: from, requestId: id, approve };
  const sent = await membership.send(
    kind === "plan"
      ? { kind: "plan_approval_response", ...about, feedback: note }
      : { kind: "shutdown_response", ...about, reason: note },
  );
  if (!sent?.success) throw new TroupeError("arguments_invalid", sent?.message ?? `${from} has left the team`, { id });
  if (kind === "shutdown") await membership.takeLeave();
}
