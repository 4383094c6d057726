import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { assertMatches, assertThat } from "../assert.ts";
import { toldTo } from "../conversation.ts";
import { handIn } from "../hand-in.ts";
import { mateCheck } from "../mate-check.ts";
import type { MateStage } from "../mate-stage.ts";

const required = { planModeRequired: true };

/** Tries to change the project; whether that came about. */
async function changes({ mate, cwd }: MateStage, name: string): Promise<boolean> {
  await mate.does(["Write", { file_path: join(cwd, name), content: "changed\n" }]);
  return existsSync(join(cwd, name));
}

const answer = (requestId: unknown, more: object) => ({
  type: "plan_approval_response",
  requestId,
  timestamp: new Date().toISOString(),
  ...more,
});
const approval = (requestId: unknown, more: object = {}) =>
  answer(requestId, { approved: true, permissionMode: "acceptEdits", ...more });

/** A teammate that must plan first, with the suite as the lead that answers. */
export const matePlanChecks = [
  mateCheck({
    id: "PLAN-READ/a",
    level: "L4",
    title: "a teammate that must plan changes nothing before it is answered",
    requirements: ["ATP-PLN-001"],
    with: required,
    async run(stage) {
      const [result] = await stage.mate.does(["Read", { file_path: join(stage.cwd, "notes.txt") }]);
      assertThat(result?.isError === false, "it cannot even read", result);
      assertThat(!(await changes(stage, "early.txt")), "it wrote a file of the project");
    },
  }),
  mateCheck({
    id: "PLAN-HAND/a",
    level: "L4",
    title: "a plan goes to the lead whole, in six fields, under an id of its time, its member and its team",
    requirements: ["ATP-PLN-002", "ATP-MSG-010", "ATP-MSG-011", "ATP-INB-016", "ATP-PLN-011"],
    with: required,
    async run(stage) {
      const { entry, body } = await handIn(stage, stage, "First the grammar. \u{1F9EE}\n");
      const requestId = { $match: `^plan_approval-[0-9]{13}@ann@${stage.team}$` };
      const wanted = { from: "ann", timestamp: { $match: "Z$" }, planFilePath: { $match: "^/" }, requestId };
      assertMatches("the request", body, { ...wanted, planContent: { $match: "^First the grammar. \u{1F9EE}" } });
      assertThat(Object.keys(body).length === 6, "it has other fields than the six", body);
      assertMatches("its entry", entry, { summary: { $absent: true }, color: { $absent: true } });
    },
  }),
  mateCheck({
    id: "PLAN-FILE/a",
    level: "L4",
    title: "a plan that is handed in stands in a file of the root",
    requirements: ["ATP-FS-015"],
    with: required,
    async run(stage, { root }) {
      const { body } = await handIn(stage, stage, "First the grammar.\n");
      const path = String(body["planFilePath"]);
      assertMatches("the directory of the plan", dirname(path), join(root, "plans"));
      assertMatches("its name", basename(path), { $match: "^[\\w-]+\\.md$" });
      assertMatches("the file", existsSync(path) && readFileSync(path, "utf8").trim(), "First the grammar.");
    },
  }),
  mateCheck({
    id: "PLAN-MATCH/a",
    level: "L4",
    title: "only an approval of the plan that waits ends plan mode",
    requirements: ["ATP-PLN-003"],
    with: required,
    async run(stage) {
      const { body } = await handIn(stage, stage, "First the grammar.");
      await stage.mate.says("I wait.");
      await stage.put(approval(`plan_approval-1770535107409@ann@${stage.team}`));
      await stage.put("Are you there?");
      assertThat(!(await changes(stage, "early.txt")), "an approval of another id ended plan mode");
      await stage.mate.says("I wait.");
      await stage.put(approval(body["requestId"]));
      assertThat(await changes(stage, "late.txt"), "the approval of the plan did not end plan mode");
    },
  }),
  mateCheck({
    id: "PLAN-BACK/a",
    level: "L4",
    title: "a plan that is sent back keeps plan mode, brings the feedback, and comes again under another id",
    requirements: ["ATP-PLN-005", "ATP-PLN-006", "ATP-PLN-007"],
    with: required,
    async run(stage) {
      const { mate, put } = stage;
      const first = (await handIn(stage, stage, "First the grammar.")).body["requestId"];
      await mate.says("I wait.");
      await put(answer(first, { approved: false, feedback: "Begin with the tests." }));
      assertThat(toldTo(await mate.asked()).includes("Begin with the tests."), "the feedback is not told");
      assertThat(!(await changes(stage, "early.txt")), "a rejection ended plan mode");
      const second = (await handIn(stage, stage, "First the tests.")).body["requestId"];
      assertThat(first !== second, "the second plan has the id of the first", second);
      await mate.says("I wait.");
      await put(approval(first));
      await put("Are you there?");
      assertThat(!(await changes(stage, "early.txt")), "an approval of the plan before ended plan mode");
      await mate.says("I wait.");
      await put(approval(second));
      assertThat(await changes(stage, "late.txt"), "the approval of the second plan did not end plan mode");
    },
  }),
  mateCheck({
    id: "PLAN-DIGEST/a",
    level: "L4",
    title: "an approval of another text is refused, and one that names none is taken",
    requirements: ["ATP-PLN-102"],
    revisions: ["2026-11"],
    with: required,
    async run(stage) {
      const { body } = await handIn(stage, stage, "First the grammar.");
      await stage.mate.says("I wait.");
      await stage.put(approval(body["requestId"], { planDigest: "0".repeat(64) }));
      await stage.put("Are you there?");
      assertThat(!(await changes(stage, "early.txt")), "an approval with the digest of another plan ended plan mode");
      await stage.mate.says("I wait.");
      await stage.put(approval(body["requestId"]));
      assertThat(await changes(stage, "late.txt"), "an approval without a digest did not end plan mode");
    },
  }),
  mateCheck({
    id: "PLAN-FREE/a",
    level: "L4",
    title: "plan mode that a teammate entered by itself ends without the lead",
    requirements: ["ATP-PLN-009"],
    async run({ mate, letters, never }) {
      const [entered] = await mate.does(["EnterPlanMode", {}]);
      assertThat(entered?.isError === false, "it cannot enter plan mode", entered);
      const [left] = await mate.does(["ExitPlanMode", {}]);
      assertThat(left?.isError === false, "it cannot leave plan mode", left);
      await never("a plan at the lead", () => letters("plan_approval_request").length > 0);
    },
  }),
  mateCheck({
    id: "PLAN-OUT/a",
    level: "L4",
    title: "leaving plan mode outside of it is a harmless success",
    requirements: ["ATP-PLN-010"],
    revisions: ["2026-02"],
    async run({ mate, letters }) {
      const [left] = await mate.does(["ExitPlanMode", {}]);
      assertMatches("the result", left, { isError: false, text: { $match: "User has approved exiting plan mode" } });
      assertThat(letters("plan_approval_request").length === 0, "a plan is at the lead");
    },
  }),
  mateCheck({
    id: "PLAN-OUT/b",
    level: "L4",
    title: "one in a pane that need not plan leaves plan mode at once, and hands nothing in",
    requirements: ["ATP-PLN-101"],
    revisions: ["2026-11"],
    async run({ mate, letters }) {
      const [left] = await mate.does(["ExitPlanMode", { plan: "First the grammar." }]);
      assertThat(left?.isError === false, "it is an error", left);
      assertThat(letters("plan_approval_request").length === 0, "a plan is at the lead");
    },
  }),
];
