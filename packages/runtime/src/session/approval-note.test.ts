import { join } from "node:path";
import { toolUse } from "@troupe/fake-anthropic";
import { revisions } from "@troupe/protocol";
import type { Reply } from "@troupe/team";
import { describe, expect, onTestFinished, test } from "vitest";
import { awaited } from "../../../../scripts/awaited.ts";
import { faked } from "../../test/faked.ts";
import { changed, opened, turn } from "../../test/sessions.ts";
import { crew, mailOf } from "../../test/team.ts";
import type { Seat } from "./seat.ts";

const note = "only this once";
const allowed: Reply = { behavior: "allow", note };

describe.each(revisions)("in %s", (revision) => {
  /**
   * Ann writes outside of her project in her first turn, and hears what comes then in a second one.
   */
  async function writing(turns: number, more: Partial<Seat> = {}) {
    const all = await crew(revision, "ann");
    let nth = 0;
    const stage = await faked({
      rule: () =>
        nth++ === 0 ? [toolUse("Write", { file_path: join(stage.cwd, "../outside.txt"), content: "x" })] : "Done.",
    });
    const seat = { team: all.team, self: await all.team.as("ann"), lead: "team-lead", ...more };
    const ann = opened(changed(stage.deps, { revision, seat }));
    ann.tell("write it");
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const work = async () => {
      let ended = 0;
      for await (const event of ann.attendTeam(ending.signal)) if ("isOk" in event && ++ended === turns) return;
    };
    const told = () => stage.fake.requests.map(({ json }) => JSON.stringify((json as { messages: unknown }).messages));
    return { all, stage, told, over: () => awaited("the turns of ann", work()) };
  }

  test("[ATP-MSG-012] a note on an approved call is a message right behind the answer, which has no field for it", async () => {
    const { all, stage, over, told } = await writing(2);
    const seat = { team: all.team, self: await all.team.as("team-lead"), lead: "team-lead" };
    opened(changed(stage.deps, { revision, seat, ask: async () => allowed }));
    const sent: string[] = [];
    const { self } = seat;
    const send = self.send.bind(self);
    Object.assign(self, {
      send: (...given: Parameters<typeof send>) => {
        sent.push(JSON.stringify(given[1]));
        return send(...given);
      },
    });
    await over();
    expect(sent).toHaveLength(2);
    expect(sent[0]).toContain('"type":"permission_response"');
    expect(sent[0]).not.toContain(note);
    expect(sent[1]).toContain(`[Note] ${note}`);
    const [, during, after] = told();
    expect(during).toContain("tool_result");
    expect(during).not.toContain(note);
    expect(after).toContain(`[Note] ${note}`);
  });

  test("a note of the person at the lead's screen is heard with the result by a teammate beside it", async () => {
    const { over, told } = await writing(1, { bridge: async () => allowed });
    await over();
    expect(told()[1]).toMatch(new RegExp(`tool_result.*The call was approved with a note: ${note}`));
  });

  test("[ATP-MSG-012] what a model adds to the approval of a plan goes behind it", async () => {
    const all = await crew(revision, "ann");
    const requestId = "plan_approval-7@ann@crew";
    const stamp = { from: "ann", timestamp: "2026-11-19T08:00:00.000Z", requestId };
    const body = { type: "plan_approval_request", ...stamp, planFilePath: "/plan.md", planContent: "First look." };
    await (await all.team.as("ann")).send("team-lead", { body } as never);
    const answer = { type: "plan_approval_response", request_id: requestId, approve: true, feedback: "mind the tests" };
    let nth = 0;
    const stage = await faked({
      rule: () => (nth++ === 0 ? [toolUse("SendMessage", { to: "ann", message: answer })] : "Done."),
    });
    const seat = { team: all.team, self: await all.team.as("team-lead"), lead: "team-lead" };
    await turn(opened(changed(stage.deps, { revision, seat })));
    const [approval, further] = await mailOf(all.team, "ann");
    expect(JSON.parse(approval?.text ?? "")).toMatchObject({ approved: true, requestId });
    expect(approval?.text).not.toContain("mind the tests");
    expect(further?.text).toBe("[Note] mind the tests");
  });
});
