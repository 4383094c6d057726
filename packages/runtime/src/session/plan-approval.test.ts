import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { parsePlanApprovalId, planDigest, revisions } from "@troupe/protocol";
import { describe, expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { atWork, inboxIn, type Member, type MemberDeps, member, send } from "../../test/members.ts";
import { type Crew, crew, until } from "../../test/team.ts";
import type { Block } from "../model/model.ts";
import type { Script } from "../model/scripted.ts";

const done = [words("done")];
const plan = "# Fence\n\n1. Sand it\n";
const exit = (id: string) => toolUse(id, "ExitPlanMode");
const write = (id: string, file_path: string, content = "x") => toolUse(id, "Write", { file_path, content });

type Line = readonly Block[];

/** Alice, who must plan first and says these things; paths are known once she is there. */
async function planner(
  all: Crew,
  lines: (at: { plan: string; fence: string }) => readonly Line[],
  deps: MemberDeps = {},
) {
  await all.team.updateMember("alice", { planModeRequired: true });
  const script: Script = (_, nth) => said()[nth] ?? done;
  const alice: Member = await member(all, "alice", script, { mode: "plan", ...deps });
  const fence = join(all.root, "fence.txt");
  const said = () => lines({ plan: alice.plan.path, fence });
  return { alice, fence };
}

/** A plan is written and handed in; what waits for the answer comes after. */
const handIn = ({ plan: path }: { plan: string }): readonly Line[] => [[write("w", path, plan)], [exit("e1")], done];

const requestsOf = (all: Crew): readonly Record<string, unknown>[] =>
  existsSync(all.inboxOf("team-lead"))
    ? inboxIn(all, "team-lead").flatMap(({ body }) => {
        const request = body as Record<string, unknown> | undefined;
        return request?.["type"] === "plan_approval_request" ? [request] : [];
      })
    : [];

/** Resolves with the request that was handed in as the nth; 2026-11 prunes what was read. */
const handedIn = (all: Crew, nth = 1) =>
  until(all.team, async () => requestsOf(all)[nth - 1]).then(({ requestId, ...rest }) => ({
    requestId: String(requestId),
    ...rest,
  }));

const answer = (all: Crew, from: string, body: object) =>
  all.team.as(from).then((self) =>
    self.send("alice", {
      body: { type: "plan_approval_response", timestamp: new Date().toISOString(), ...body } as never,
    }),
  );

/** Resolves once the model of a member was told something like this. */
const told = (all: Crew, { heard }: Member, words: string) =>
  until(all.team, async () => heard().find((text) => text.includes(words)));

describe.each(revisions)("in %s", (revision) => {
  test("[ATP-PLN-001] [PLAN-01] [TEAM-20] who must plan first changes nothing but its plan, and hands none in that is not there", async () => {
    const all = await crew(revision, "alice");
    const { alice, fence } = await planner(all, ({ fence: file, plan: path }) => [
      [write("u1", file)],
      [exit("u2")],
      [write("u3", path, plan)],
    ]);
    alice.session.tell("paint the fence");
    await alice.turn();
    expect(existsSync(fence)).toBe(false);
    expect(alice.heard().join("\n")).toContain("plan mode changes nothing");
    expect(alice.heard().join("\n")).toContain(`Write it to ${alice.plan.path}, then call ExitPlanMode again.`);
    expect(alice.plan.path).toMatch(new RegExp(`^${all.root}/plans/[a-z]+-[a-z]+-[a-z]+\\.md$`));
    expect(readFileSync(alice.plan.path, "utf8")).toBe(plan);
    expect(existsSync(all.inboxOf("team-lead"))).toBe(false);
  });

  test("who must plan first is told so from the beginning, with the place of the plan, and nobody else is", async () => {
    const all = await crew(revision, "alice", "bob");
    await all.team.updateMember("alice", { planModeRequired: true });
    const roleOf = async (name: string, mode: "plan" | "default") => {
      let role = "";
      const script: Script = ({ system }) => {
        role = JSON.stringify(system);
        return done;
      };
      const one = await member(all, name, script, { mode });
      one.session.tell("paint the fence");
      await one.turn();
      return { role, plan: one.plan.path };
    };
    const { role, plan: path } = await roleOf("alice", "plan");
    expect(role).toContain(`Write it to ${path}, then call ExitPlanMode and end your turn.`);
    expect((await roleOf("bob", "default")).role).not.toContain("plan");
  });

  test("[ATP-PLN-002] [ATP-PLN-011] [PLAN-03] the request has the whole plan and its absolute path, and the planner waits", async () => {
    const all = await crew(revision, "alice");
    const { alice } = await planner(all, handIn);
    alice.session.tell("paint the fence");
    await alice.turn();
    const { requestId, ...request } = await handedIn(all);
    expect(request).toEqual({
      type: "plan_approval_request",
      from: "alice",
      timestamp: expect.any(String),
      planFilePath: alice.plan.path,
      planContent: plan,
    });
    expect(isAbsolute(alice.plan.path)).toBe(true);
    expect(parsePlanApprovalId(requestId)).toMatchObject({ agent: "alice", team: "crew" });
    const [entry] = inboxIn(all, "team-lead");
    expect(entry).not.toHaveProperty("color");
    expect(entry).not.toHaveProperty("summary");
    expect(alice.session.permissions.mode()).toBe("plan");
    expect(alice.heard().join()).toContain(`(request ${requestId}). Stay in plan mode`);
  });

  test("[PLAN-02] [ATP-PLN-003] [ATP-PLN-004] the lead's model approves, and the plan is carried out in the lead's mode", async () => {
    const all = await crew(revision, "alice");
    const { alice, fence } = await planner(all, (at) => [...handIn(at), [write("u3", at.fence)]]);
    const lead = await member(
      all,
      "team-lead",
      ({ messages }, nth) => {
        const id = /plan_approval-\d+@alice@crew/.exec(JSON.stringify(messages))?.[0];
        const message = { type: "plan_approval_response", request_id: id, approve: true };
        return nth === 0 ? [send("u1", "alice", message)] : done;
      },
      { mode: "acceptEdits" },
    );
    alice.session.tell("paint the fence");
    atWork(alice);
    await lead.mail();
    await lead.turn();
    await told(all, alice, "[Plan Approved]");
    await until(all.team, async () => (existsSync(fence) ? true : undefined));
    expect(alice.session.permissions.mode()).toBe("acceptEdits");
    expect(lead.heard()[0]).toContain(
      `SendMessage {"to":"alice","message":{"type":"plan_approval_response","request_id":"plan_approval-`,
    );
    const [response] = answersIn(alice);
    const granted = { approved: true, permissionMode: "acceptEdits" };
    expect(response).toMatchObject(revision === "2026-11" ? { ...granted, planDigest: planDigest(plan) } : granted);
  });

  test("[PLAN-10] [ATP-PLN-005] [ATP-PLN-006] a rejected plan comes back with what it lacks, and is handed in again under a new id", async () => {
    const all = await crew(revision, "alice");
    const { alice } = await planner(all, (at) => [...handIn(at), [exit("e2")]]);
    alice.session.tell("paint the fence");
    atWork(alice);
    const { requestId } = await handedIn(all);
    await answer(all, "team-lead", { requestId, approved: false, feedback: "say how long it takes" });
    const second = await handedIn(all, 2);
    expect(await told(all, alice, "[Plan Rejected] say how long it takes")).toContain("Stay in plan mode");
    expect(second.requestId).not.toBe(requestId);
    expect(alice.session.permissions.mode()).toBe("plan");
  });

  test("[PLAN-09] [ATP-PLN-007] an approval wins while the plan waits, and what comes after it changes nothing", async () => {
    const all = await crew(revision, "alice");
    const { alice } = await planner(all, handIn);
    alice.session.tell("paint the fence");
    atWork(alice);
    const { requestId } = await handedIn(all);
    await answer(all, "team-lead", { requestId, approved: false, feedback: "no" });
    await told(all, alice, "[Plan Rejected] no");
    await answer(all, "team-lead", { requestId, approved: true, permissionMode: "acceptEdits" });
    await told(all, alice, "[Plan Approved]");
    await answer(all, "team-lead", { requestId, approved: false, feedback: "never" });
    await answer(all, "team-lead", { requestId, approved: true, permissionMode: "default" });
    await all.say("alice", "still there?");
    await told(all, alice, "still there?");
    expect(alice.heard().join()).not.toContain("never");
    expect(alice.session.permissions.mode()).toBe("acceptEdits");
  });

  test("[ATP-PLN-003] [ATP-SND-107] an answer under another id, an older one, or from a peer approves nothing", async () => {
    const all = await crew(revision, "alice", "bob");
    const { alice } = await planner(all, (at) => [...handIn(at), [exit("e2")]]);
    alice.session.tell("paint the fence");
    atWork(alice);
    const { requestId } = await handedIn(all);
    const approval = { approved: true, permissionMode: "acceptEdits" };
    await answer(all, "bob", { requestId, ...approval });
    await answer(all, "team-lead", { requestId: "plan_approval-1@alice@crew", ...approval });
    expect(await told(all, alice, "Only team-lead can answer your plan")).toContain('teammate_id="bob"');
    await handedIn(all, 2);
    await answer(all, "team-lead", { requestId, ...approval });
    await all.say("alice", "still there?");
    await told(all, alice, "still there?");
    expect(alice.session.permissions.mode()).toBe("plan");
    expect(alice.heard().join()).not.toContain("[Plan Approved]");
  });

  test("[ATP-PLN-102] an approval with the digest of another plan is refused, and one without a digest is taken", async () => {
    const all = await crew(revision, "alice");
    const { alice } = await planner(all, handIn);
    alice.session.tell("paint the fence");
    atWork(alice);
    const { requestId } = await handedIn(all);
    // A team of 2026-02 drops the field when it is written, but its readers may meet it.
    if (revision === "2026-11") {
      const approval = { requestId, approved: true, permissionMode: "acceptEdits" };
      await answer(all, "team-lead", { ...approval, planDigest: planDigest("rm -rf /") });
      await told(all, alice, "The approval is of another plan than yours");
      expect(alice.session.permissions.mode()).toBe("plan");
    }
    await answer(all, "team-lead", { requestId, approved: true, permissionMode: "acceptEdits" });
    await told(all, alice, "[Plan Approved]");
    expect(alice.session.permissions.mode()).toBe("acceptEdits");
  });

  test.each([
    ["bypassPermissions", "default"],
    ["plan", "default"],
    ["whatever", "default"],
    ["dontAsk", "dontAsk"],
  ])("an approval that grants %s lets a member work in %s", async (permissionMode, mode) => {
    const all = await crew(revision, "alice");
    const { alice } = await planner(all, handIn);
    alice.session.tell("paint the fence");
    atWork(alice);
    const { requestId } = await handedIn(all);
    await answer(all, "team-lead", { requestId, approved: true, permissionMode });
    expect(await told(all, alice, "[Plan Approved]")).toContain(`work in the mode ${mode}.`);
    expect(alice.session.permissions.mode()).toBe(mode);
  });

  test("a planner that dies while its plan waits is approved when it is back, and stays so when it dies again", async () => {
    const all = await crew(revision, "alice");
    const { alice } = await planner(all, handIn);
    alice.session.tell("paint the fence");
    await alice.turn();
    await alice.session.close();
    const { requestId } = await handedIn(all);
    const approval = { requestId, approved: true, permissionMode: "acceptEdits" };
    const isDigested = revision === "2026-11";
    if (isDigested) await answer(all, "team-lead", { ...approval, planDigest: planDigest("another") });
    const { alice: again } = await planner(all, () => []);
    await again.turn();
    expect(again.session.permissions.mode()).toBe("plan");
    await again.session.close();
    const { alice: third } = await planner(all, () => []);
    expect(third.membership.granted()).toBeUndefined();
    await answer(all, "team-lead", { ...approval, ...(isDigested && { planDigest: planDigest(plan) }) });
    await third.turn();
    expect(third.heard().join()).toContain("[Plan Approved]");
    expect(third.session.permissions.mode()).toBe("acceptEdits");
    await third.session.close();
    const { alice: fourth } = await planner(all, () => []);
    expect(fourth.membership.granted()).toBe("acceptEdits");
    expect(fourth.session.permissions.mode()).toBe("acceptEdits");
  });
});

const answersIn = ({ heard }: Member): readonly unknown[] => {
  const messages = heard().flatMap((text) => /\n(\{"type":"plan_approval_response".*\})\n/.exec(text)?.[1] ?? []);
  return messages.map((text) => JSON.parse(text));
};
