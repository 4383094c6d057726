import type { Fields } from "../../concurrency/documents.ts";
import { assertKeys, assertMatches, assertThat } from "../assert.ts";
import { digestOf } from "../digest.ts";
import { handIn } from "../hand-in.ts";
import { type LeadStage, leadCheck } from "../lead-stage.ts";

const input = { command: "touch made.txt", description: "make a file" };

/** Ann, in a pane, needs permission, and nobody is there to be asked; what she is answered. */
async function refused({ spawn, lead, letter }: LeadStage): Promise<{ request: Fields; body: Fields }> {
  const ann = await spawn({ name: "ann", prompt: "Begin." });
  await ann.calls(["Bash", input]);
  const request = (await letter("permission_request", "team-lead")).body;
  await lead.says("I wait.");
  return { request, body: (await letter("permission_response", "ann")).body };
}

const count = (what: string, body: Fields, ...counts: readonly number[]) =>
  assertThat(counts.includes(Object.keys(body).length), `${what} has other than ${counts.join(" or ")} fields`, body);

/** Lets ann go through what is told by messages of one member; the bodies by their types. */
async function bodiesOf(stage: LeadStage, mode?: string): Promise<ReadonlyMap<string, Fields>> {
  const { spawn, lead, dialect, letter, until, post } = stage;
  const ann = await spawn({ name: "ann", prompt: "Plan it.", ...(mode !== undefined && { mode }) });
  const { answerPlan, askToEnd, answerEnd } = await dialect();
  const plan = (await handIn({ mate: ann }, stage, "First the grammar.")).body;
  await lead.says("I wait.");
  await lead.does(answerPlan("ann", String(plan["requestId"]), true));
  await lead.does(["TaskCreate", { subject: "Read rule 3", description: "all of it" }]);
  await lead.does(["TaskUpdate", { taskId: "1", owner: "ann" }]);
  await lead.does(askToEnd("ann", "the work is done"));
  const id = String((await letter("shutdown_request", "ann")).body["requestId"]);
  await until("the request to end at ann's model", () => {
    if (JSON.stringify(ann.requests.at(-1)?.messages ?? []).includes(id)) return true;
    if (ann.isAsked()) ann.says("I go on.").catch(() => {});
    return false;
  });
  await ann.calls(answerEnd(id, true));
  await letter("shutdown_approved", "team-lead");
  const all = [...post.to("ann"), ...post.to("team-lead")].map(({ body }) => [String(body["type"]), body] as const);
  return new Map(all);
}

/** What a lead answers to those who need permission, and the sizes of all that is written. */
export const leadPermissionChecks = [
  leadCheck({
    id: "LEAD-DENY/a",
    level: "L4",
    title: "a refusal says why in its error, and has no response",
    requirements: ["ATP-MSG-019"],
    with: { isInTmux: true },
    async run(stage) {
      const { request, body } = await refused(stage);
      const wanted = { request_id: request["request_id"], subtype: "error", response: { $absent: true } };
      assertMatches("the answer", body, { ...wanted, error: { $match: "." } });
    },
  }),
  leadCheck({
    id: "LEAD-DENY/b",
    level: "L4",
    title: "a refusal has its fields in the order of the reference client, and names the call that it is about",
    requirements: ["ATP-MSG-105"],
    revisions: ["2026-11"],
    with: { isInTmux: true },
    async run(stage) {
      const { request, body } = await refused(stage);
      assertKeys("the answer", body, ["type", "request_id", "subtype", "tool_use_id", "approved_request", "error"]);
      const { tool_use_id, tool_name } = request;
      assertMatches("what it is about", body, { tool_use_id, approved_request: { tool_use_id, tool_name } });
    },
  }),
  leadCheck({
    id: "LEAD-DENY/c",
    level: "L4",
    title: "the digest in an answer is that of the call",
    requirements: ["ATP-MSG-106"],
    revisions: ["2026-11"],
    with: { isInTmux: true },
    async run(stage) {
      const { request, body } = await refused(stage);
      const about = (body["approved_request"] ?? {}) as Fields;
      const digest = digestOf(String(request["tool_name"]), request["input"]);
      assertThat((about["input_digest"] ?? digest) === digest, "it is another", { expected: digest, actual: about });
    },
  }),
  leadCheck({
    id: "LEAD-COUNTS/a",
    level: "L4",
    title: "messages have as many fields as the protocol says",
    requirements: ["ATP-MSG-023"],
    revisions: ["2026-02"],
    async run(stage) {
      const found = await bodiesOf(stage, "plan");
      const of = (type: string) => found.get(type) ?? {};
      count("task_assignment", of("task_assignment"), 6);
      count("idle_notification", of("idle_notification"), 4, 5);
      count("shutdown_request", of("shutdown_request"), 5);
      count("shutdown_approved", of("shutdown_approved"), 6);
      count("plan_approval_request", of("plan_approval_request"), 6);
      count("plan_approval_response", of("plan_approval_response"), 5);
    },
  }),
  leadCheck({
    id: "LEAD-COUNTS/b",
    level: "L4",
    title: "the answer to a permission request has four fields",
    requirements: ["ATP-MSG-023"],
    revisions: ["2026-02"],
    with: { isInTmux: true },
    async run(stage) {
      const { request, body } = await refused(stage);
      count("permission_request", request, 8);
      count("permission_response", body, 4);
    },
  }),
  leadCheck({
    id: "LEAD-COUNTS/c",
    level: "L4",
    title: "messages have as many fields as those of the reference client",
    requirements: ["ATP-MSG-108"],
    revisions: ["2026-11"],
    with: { mode: "plan" },
    async run(stage) {
      const found = await bodiesOf(stage);
      const of = (type: string) => found.get(type) ?? {};
      count("task_assignment", of("task_assignment"), 6);
      count("idle_notification", of("idle_notification"), 3, 4, 5, 6);
      count("shutdown_request", of("shutdown_request"), 5);
      count("shutdown_approved", of("shutdown_approved"), 6);
      count("plan_approval_request", of("plan_approval_request"), 6);
      count("plan_approval_response", of("plan_approval_response"), 5, 6);
    },
  }),
  leadCheck({
    id: "LEAD-SCREEN/a",
    level: "L4",
    title: "what a teammate beside its lead needs permission for is in no inbox",
    requirements: ["ATP-PRM-103"],
    revisions: ["2026-11"],
    async run({ spawn, post }) {
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      const [result] = await ann.does(["Bash", input]);
      assertThat(result?.isError === true, "the call went through, and nobody allowed it", result);
      const told = post.to("team-lead").map(({ body }) => body["type"]);
      assertThat(!told.includes("permission_request"), "it is in the inbox of the lead", told);
    },
  }),
  leadCheck({
    id: "LEAD-EXIT/a",
    level: "L4",
    title: "a teammate beside its lead that need not plan has no plan to hand in",
    requirements: ["ATP-PLN-101"],
    revisions: ["2026-11"],
    async run({ spawn, post }) {
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      const [result] = await ann.does(["ExitPlanMode", { plan: "First the grammar." }]);
      assertThat(result?.isError === true, "the call went through", result);
      const told = post.to("team-lead").map(({ body }) => body["type"]);
      assertThat(!told.includes("plan_approval_request"), "a plan is in the inbox of the lead", told);
    },
  }),
];
