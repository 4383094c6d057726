import { existsSync } from "node:fs";
import { join } from "node:path";
import { assertKeys, assertMatches, assertThat } from "../assert.ts";
import { handIn } from "../hand-in.ts";
import { type LeadStage, leadCheck } from "../lead-stage.ts";

/** Lets ann hand in a plan and the lead's model answer it; the answer in her inbox. */
async function answered(stage: LeadStage, approve: boolean, feedback?: string, mode?: string) {
  const ann = await stage.spawn({ name: "ann", prompt: "Plan it.", ...(mode !== undefined && { mode }) });
  const { body } = await handIn({ mate: ann }, stage, "First the grammar.");
  await stage.lead.says("I wait.");
  const { answerPlan } = await stage.dialect();
  await stage.lead.does(answerPlan("ann", String(body["requestId"]), approve, feedback));
  const given = await stage.letter("plan_approval_response", "ann");
  assertMatches("the id of the answer", given.body["requestId"], body["requestId"]);
  return given;
}

const none = { $absent: true };

/** What the mode of a lead means for its teammates, and for itself. */
export const leadModeChecks = [
  leadCheck({
    id: "LEAD-PLAN/a",
    level: "L4",
    title: "a plan that is approved is granted the lead's own mode, and no feedback",
    requirements: ["ATP-PLN-004", "ATP-MSG-012"],
    revisions: ["2026-02"],
    with: { mode: "acceptEdits" },
    async run(stage) {
      const { body, entry } = await answered(stage, true, undefined, "plan");
      assertMatches("the answer", body, { approved: true, permissionMode: "acceptEdits", feedback: none });
      assertMatches("its entry", entry, { from: "team-lead" });
    },
  }),
  leadCheck({
    id: "LEAD-PLAN/b",
    level: "L4",
    title: "a lead in plan mode grants a plan the mode default",
    requirements: ["ATP-PLN-004", "ATP-MSG-012"],
    revisions: ["2026-11"],
    with: { mode: "plan" },
    async run(stage) {
      const { body } = await answered(stage, true);
      assertMatches("the answer", body, { approved: true, permissionMode: "default", feedback: none });
    },
  }),
  leadCheck({
    id: "LEAD-PLAN/c",
    level: "L4",
    title: "an approval has its fields in the order of the reference client, with the digest of the plan",
    requirements: ["ATP-MSG-104"],
    revisions: ["2026-11"],
    with: { mode: "plan" },
    async run(stage) {
      const { body } = await answered(stage, true);
      assertKeys("the approval", body, ["type", "requestId", "approved", "timestamp", "permissionMode", "planDigest"]);
      assertMatches("its digest", body["planDigest"], { $match: "^[0-9a-f]{64}$" });
    },
  }),
  leadCheck({
    id: "LEAD-PLAN/d",
    level: "L4",
    title: "a plan that is sent back is given the feedback, and no mode",
    requirements: ["ATP-MSG-013"],
    revisions: ["2026-02"],
    async run(stage) {
      const { body } = await answered(stage, false, "Begin with the tests.", "plan");
      assertMatches("the answer", body, { approved: false, feedback: "Begin with the tests.", permissionMode: none });
    },
  }),
  leadCheck({
    id: "LEAD-PLAN/e",
    level: "L4",
    title: "a plan that is sent back is given the feedback, and no mode",
    requirements: ["ATP-MSG-013"],
    revisions: ["2026-11"],
    with: { mode: "plan" },
    async run(stage) {
      const { body } = await answered(stage, false, "Begin with the tests.");
      assertMatches("the answer", body, { approved: false, feedback: "Begin with the tests.", permissionMode: none });
    },
  }),
  leadCheck({
    id: "LEAD-DELEGATE/a",
    level: "L4",
    title: "a lead in delegate mode coordinates and changes nothing; the config does not say so",
    requirements: ["ATP-DLG-001", "ATP-DLG-002"],
    revisions: ["2026-02"],
    with: { mode: "delegate" },
    async run({ lead, spawn, post, cwd }) {
      await spawn({ name: "ann", prompt: "Begin." });
      const results = await lead.does(
        ["Write", { file_path: join(cwd, "made.txt"), content: "changed\n" }],
        ["Bash", { command: "touch made.txt", description: "make it" }],
        ["TaskCreate", { subject: "Read it", description: "all of it" }],
      );
      assertMatches(
        "which calls failed",
        results.map(({ isError }) => isError),
        [true, true, false],
      );
      assertThat(!existsSync(join(cwd, "made.txt")), "it changed a file");
      assertThat(!JSON.stringify(post.members()).includes("delegate"), "the config says delegate", post.members());
    },
  }),
  leadCheck({
    id: "LEAD-DELEGATE/b",
    level: "L4",
    title: "in delegate mode a reminder after each call names the team and the tools that are left",
    requirements: ["ATP-DLG-003"],
    revisions: ["2026-02"],
    with: { mode: "delegate" },
    async run({ lead, makeTeam }) {
      const team = await makeTeam();
      await lead.does(["TaskList", {}]);
      const { messages } = await lead.asked();
      const last = JSON.stringify(messages.at(-1));
      for (const word of [team, "TeammateTool", "TaskCreate", "TaskGet", "TaskUpdate", "TaskList"])
        assertThat(last.includes(word), `the reminder does not name ${word}`, last.slice(-800));
    },
  }),
];
