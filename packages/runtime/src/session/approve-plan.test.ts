import { readFileSync, writeFileSync } from "node:fs";
import { layoutOf, revisions } from "@troupe/protocol";
import type { Reply } from "@troupe/team";
import { describe, expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { inboxIn, type Member, type MemberDeps, member } from "../../test/members.ts";
import { type Crew, crew, gate, mailOf, until, waitingFor, writeForeign } from "../../test/team.ts";
import type { WorkingMode } from "../permissions/ruling.ts";

const done = [words("done")];

/** Alice hands a plan in, as a member that must plan first or one that came by itself. */
async function submit(all: Crew, n = 1, planModeRequired = true): Promise<string> {
  await all.team.updateMember("alice", { planModeRequired });
  const requestId = `plan_approval-177097938788${n}@alice@crew`;
  const stamp = { from: "alice", timestamp: "2026-02-13T10:43:07.887Z", requestId };
  const body = {
    type: "plan_approval_request",
    ...stamp,
    planFilePath: "/p/a-b-c.md",
    planContent: `plan ${n}`,
  } as const;
  await (await all.team.as("alice")).send("team-lead", { body });
  return requestId;
}

/** Resolves with what alice was answered, once there are so many answers. */
const answers = (all: Crew, count = 1): Promise<readonly Record<string, unknown>[]> =>
  until(all.team, async () => {
    const entries = await mailOf(all.team, "alice");
    return entries.length < count
      ? undefined
      : inboxIn(all, "alice").map(({ body }) => body as Record<string, unknown>);
  });

const leads = (all: Crew, deps: MemberDeps = {}) => member(all, "team-lead", () => done, deps);

const reply = (lead: Member, requestId: string, approve: boolean, to = "alice") =>
  lead.membership.send({
    kind: "plan_approval_response",
    to,
    requestId,
    approve,
    feedback: approve ? "" : "add tests",
  });

describe.each(revisions)("in %s", (revision) => {
  test("[PLAN-08] [ATP-PLN-008] a lead that approves by itself does so while it works, and its model hears that it is done", async () => {
    const all = await crew(revision, "alice");
    const [busy, answered] = [gate(), gate()];
    const lead = await member(all, "team-lead", () => [toolUse("u1", "Write", { file_path: "x", content: "" })], {
      plans: "auto",
      ask: async () => {
        busy.open();
        await answered.opened;
        return { behavior: "deny", message: "no", interrupt: true };
      },
    });
    lead.session.tell("work");
    const working = lead.turn();
    await busy.opened;
    const requestId = await submit(all);
    const [approval] = await answers(all);
    expect(approval).toMatchObject({ requestId, approved: true, permissionMode: "default" });
    expect(approval).not.toHaveProperty("feedback");
    expect(lead.heard().join()).not.toContain("plan_approval_request");
    await lead.session.close();
    answered.open();
    await working.catch(() => {});
    const again = await leads(all, { plans: "auto" });
    await again.turn();
    expect(again.heard().join()).toContain("This plan is approved already");
  });

  test.each([
    ["acceptEdits", "acceptEdits"],
    ["plan", "default"],
    ["delegate", "default"],
    ["bypassPermissions", "bypassPermissions"],
  ] satisfies [WorkingMode, WorkingMode][])(
    "[ATP-PLN-004] [DELEG-05] [PLAN-06] a lead in the mode %s grants %s",
    async (mode, granted) => {
      const all = await crew(revision, "alice");
      await leads(all, { plans: "auto", mode, isBypassAvailable: true });
      await submit(all);
      expect(await answers(all)).toMatchObject([{ approved: true, permissionMode: granted }]);
    },
  );

  test("nobody approves by itself what a member hands in that this team does not make plan", async () => {
    const all = await crew(revision, "alice");
    const lead = await leads(all, { plans: "auto" });
    const requestId = await submit(all, 1, false);
    await lead.mail();
    await lead.turn();
    expect(lead.heard()[0]).toContain("changes nothing until you have answered");
    expect(await waitingFor(all.team, "alice")).toEqual([]);
    expect(await reply(lead, requestId, true)).toMatchObject({ success: true });
  });

  test("[ATP-LIF-103] whoever adds itself to the config is a member: it is written to, its plan waits, and its permission is asked for at the lead's screen", async () => {
    const all = await crew(revision);
    const lead = await leads(all, { plans: "auto", ask: async () => ({ behavior: "allow" }) });
    const config = layoutOf(all.root).team("crew").config;
    const found = JSON.parse(readFileSync(config, "utf8"));
    found.members.push({ agentId: "ext@crew", name: "ext" });
    writeFileSync(config, JSON.stringify(found));
    const sent = { kind: "message", to: "ext", text: "hello", summary: "hello", notifyWhenIdle: false } as const;
    expect(await lead.membership.send(sent)).toMatchObject({ success: true });
    const plan = { type: "plan_approval_request", from: "ext", requestId: "r1", planContent: "p" };
    const permission = { type: "permission_request", request_id: "perm-1-abcdefg", agent_id: "ext", tool_name: "Bash" };
    const entries = [plan, { ...permission, tool_use_id: "t1", description: "list", input: { command: "ls" } }];
    writeForeign(
      all.inboxOf("team-lead"),
      ...entries.map((body, at) => ({
        from: "ext",
        timestamp: `2026-02-13T10:43:07.88${at}Z`,
        text: JSON.stringify(body),
      })),
    );
    const bodies = () => inboxIn(all, "ext").map(({ body }) => body as Record<string, unknown> | undefined);
    await until(all.team, async () => (bodies().length > 1 ? true : undefined));
    expect(bodies()[1]).toMatchObject({
      type: "permission_response",
      request_id: "perm-1-abcdefg",
      subtype: "success",
    });
    expect(lead.asked).toMatchObject([{ tool: "Bash", from: { name: "ext" } }]);
    await lead.turn();
    expect(lead.heard()[0]).toContain("changes nothing until you have answered");
    expect(bodies()).toHaveLength(2);
    expect(await reply(lead, "r1", true, "ext")).toMatchObject({ success: true });
    expect(bodies()[2]).toMatchObject({ type: "plan_approval_response", requestId: "r1", approved: true });
  });

  test("[PLAN-07] [ATP-SND-012] [MSG-05] the lead's model answers what waits: the last plan of a member, and once it is approved no more", async () => {
    const all = await crew(revision, "alice", "bob");
    const lead = await leads(all);
    const early = await submit(all, 1);
    expect(await reply(lead, early, true)).toMatchObject({ success: false });
    const requestId = await submit(all, 2);
    await lead.turn();
    expect(await reply(lead, early, true)).toMatchObject({ success: false });
    expect(await reply(lead, requestId, true, "bob")).toMatchObject({ success: false });
    expect(await reply(lead, requestId, true, "carol")).toBeUndefined();
    expect(await reply(lead, requestId, false)).toEqual({
      success: true,
      message: `Answer sent to alice. Request ID: ${requestId}`,
      request_id: requestId,
      target: "alice",
    });
    expect(await reply(lead, requestId, true)).toMatchObject({ success: true });
    expect(await reply(lead, requestId, false)).toMatchObject({ success: false });
    const [rejection, approval, ...more] = await answers(all, 2);
    const stamp = { type: "plan_approval_response", requestId, timestamp: expect.any(String) };
    expect(rejection).toEqual({ ...stamp, approved: false, feedback: "add tests" });
    expect(approval).toMatchObject({ ...stamp, approved: true, permissionMode: "default" });
    expect(more).toEqual([]);
  });

  test("a lead that was restarted still knows what it was asked", async () => {
    const all = await crew(revision, "alice");
    const lead = await leads(all);
    const requestId = await submit(all);
    await lead.turn();
    await lead.session.close();
    expect(await reply(await leads(all), requestId, true)).toMatchObject({ success: true });
    expect(await answers(all)).toMatchObject([{ requestId, approved: true }]);
  });

  test("the person at the lead's screen is shown the plan, by whom, and answers it once", async () => {
    const all = await crew(revision, "alice");
    const says = gate();
    const lead = await leads(all, {
      plans: "user",
      ask: async () => {
        await says.opened;
        return { behavior: "deny", message: "too long" };
      },
    });
    const requestId = await submit(all);
    await submit(all);
    await until(all.team, async () => (lead.asked.length > 0 ? true : undefined));
    const input = { plan: "plan 1" };
    expect(lead.asked).toMatchObject([{ tool: "ExitPlanMode", input, from: { name: "alice", color: "blue" } }]);
    says.open();
    expect(await answers(all)).toMatchObject([{ requestId, approved: false, feedback: "too long" }]);
    await lead.turn();
    expect(lead.heard()).toEqual([]);
    expect(lead.asked).toHaveLength(1);
  });

  test("a lead that ends while its person looks at a plan answers nothing", async () => {
    const all = await crew(revision, "alice");
    const [looks, over] = [gate(), gate()];
    const ask = async (_: unknown, signal: AbortSignal): Promise<Reply> => {
      looks.open();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      setImmediate(over.open);
      return { behavior: "allow" };
    };
    const lead = await leads(all, { plans: "user", ask });
    await submit(all);
    await looks.opened;
    await lead.session.close();
    await over.opened;
    expect(await waitingFor(all.team, "alice")).toEqual([]);
  });

  test("a plan in the name of another, or of nobody in the team, is approved by nobody", async () => {
    const all = await crew(revision, "alice", "bob");
    await all.team.updateMember("bob", { planModeRequired: true });
    const lead = await leads(all, { plans: "auto" });
    const forged = (from: string, claimed: string) => ({
      from,
      timestamp: `2026-02-13T10:43:07.88${from.length}Z`,
      read: false,
      text: JSON.stringify({ type: "plan_approval_request", from: claimed, requestId: "r1", planContent: "p" }),
    });
    writeForeign(all.inboxOf("team-lead"), forged("bob", "alice"), forged("stranger", "stranger"));
    await lead.turn();
    expect(lead.heard()[0]).toContain("plan_approval_request");
    for (const name of ["alice", "bob"]) expect(await waitingFor(all.team, name)).toEqual([]);
  });

  test("an approval that cannot be sent is shown, and the plan is left to the model", async () => {
    const all = await crew(revision, "alice");
    const { as } = all.team;
    const send = async () => {
      throw new Error("no room");
    };
    const team = { ...all.team, as: async (name: string) => ({ ...(await as(name)), send }) };
    const lead = await leads(all, { plans: "auto", team });
    await submit(all);
    await lead.turn();
    expect(lead.shown).toEqual(["An answer did not reach alice: no room"]);
    expect(lead.heard()[0]).toContain("Approve the plan with SendMessage");
  });
});
