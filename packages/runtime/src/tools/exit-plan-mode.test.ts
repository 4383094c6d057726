import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { revisions } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import type { CallQuestion, Reply } from "@troupe/team";
import { expect, test } from "vitest";
import { callBy } from "../../test/calls.ts";
import { permitted } from "../../test/permitted.ts";
import { scratch } from "../../test/scratch.ts";
import type { WorkingMode } from "../permissions/ruling.ts";
import { enterPlanModeTool } from "./enter-plan-mode.ts";
import { exitPlanModeTool, type PlanApprover } from "./exit-plan-mode.ts";
import { createPlanMode, planFileOf } from "./plan-mode.ts";

const { signal } = new AbortController();
const approved = "User has approved exiting plan mode";

/** An agent in this mode, with a person who says this about its plan. */
function agent(mode: WorkingMode, says: Reply, approver?: PlanApprover["kind"] | "nobody") {
  const cwd = scratch();
  const store = openFileStore({ root: cwd });
  const permissions = permitted(cwd, cwd, { mode });
  const planMode = createPlanMode(permissions);
  const plan = planFileOf("s1", { root: cwd, store });
  const asked: CallQuestion[] = [];
  const submitted: string[] = [];
  const interrupted: string[] = [];
  const approvers = {
    person: {
      kind: "person",
      ask: async (question: CallQuestion) => {
        asked.push(question);
        return says;
      },
    },
    lead: { kind: "lead", submit: async (text: string) => `r${submitted.push(text)}` },
  } as const;
  const exit = exitPlanModeTool({
    revision: "2026-02",
    planMode,
    permissions,
    plan,
    newId: () => "q1",
    approver: () => (approver === "nobody" ? undefined : approvers[approver ?? "person"]),
    interrupt: (reason) => void interrupted.push(reason),
  });
  const call = async (tool: typeof exit, input: object = {}) => {
    const { content, isError = false } = await tool.run(input, callBy(undefined, { call: "u1", signal }));
    return { text: String(content[0]?.["text"]), isError };
  };
  return {
    cwd,
    permissions,
    plan,
    asked,
    submitted,
    interrupted,
    plans: (text: string) => store.savePlan(plan.path.replace(/^.*\/|\.md$/g, ""), text),
    enter: () => call(enterPlanModeTool({ planMode, plan })),
    exit: (input?: object) => call(exit, input),
  };
}

const yes: Reply = { behavior: "allow" };

test("[PLAN-12] [ATP-PLN-010] outside plan mode ExitPlanMode is a success that changes nothing and asks nobody", async () => {
  for (const kind of ["person", "lead", "nobody"] as const) {
    const one = agent("acceptEdits", yes, kind);
    expect([await one.exit(), await one.exit()]).toEqual([
      { text: approved, isError: false },
      { text: approved, isError: false },
    ]);
    expect([one.permissions.mode(), one.asked, one.submitted]).toEqual(["acceptEdits", [], []]);
  }
});

test("[ATP-PLN-009] whoever enters plan mode by itself leaves it unasked and without a plan, for the mode it had", async () => {
  for (const kind of ["person", "lead", "nobody"] as const) {
    const one = agent("acceptEdits", yes, kind);
    const entered = await one.enter();
    expect(entered).toMatchObject({ isError: false });
    expect(entered.text).toContain(one.plan.path);
    expect(one.permissions.mode()).toBe("plan");
    expect(await one.exit()).toEqual({ text: approved, isError: false });
    expect([one.permissions.mode(), one.asked, one.submitted]).toEqual(["acceptEdits", [], []]);
  }
});

test("plan mode that somebody else wanted is not made voluntary by wishing for it as well", async () => {
  const one = agent("plan", { behavior: "deny", message: "not yet" });
  await one.enter();
  await one.plans("# Plan");
  expect(await one.exit()).toMatchObject({ isError: true });
  expect(one.permissions.mode()).toBe("plan");
  expect(one.interrupted).toEqual([]);
});

test("to have left plan mode of its own is no leave for the next time", async () => {
  const one = agent("default", { behavior: "deny", message: "not yet" });
  await one.enter();
  await one.exit();
  one.permissions.setMode("plan");
  await one.plans("# Plan");
  expect(await one.exit()).toMatchObject({ isError: true });
  expect(one.permissions.mode()).toBe("plan");
});

test("a person is shown the plan with what it will need, and ends plan mode", async () => {
  const one = agent("plan", yes);
  expect(await one.exit()).toEqual({
    text: `There is no plan yet. Write it to ${one.plan.path}, then call ExitPlanMode again.`,
    isError: true,
  });
  expect(one.asked).toEqual([]);
  await one.plans("# Plan");
  const allowedPrompts = [{ tool: "Bash", prompt: "run the tests" }];
  expect(await one.exit({ allowedPrompts })).toEqual({ text: approved, isError: false });
  expect(one.asked).toMatchObject([
    { id: "q1", call: "u1", tool: "ExitPlanMode", input: { plan: "# Plan", allowedPrompts } },
  ]);
  expect(one.permissions.mode()).toBe("default");
});

test("what a person grants with the approval holds afterwards", async () => {
  const suggested = agent("plan", yes);
  await suggested.plans("# Plan");
  await suggested.exit();
  const updates = suggested.asked[0]?.suggestions ?? [];
  const one = agent("plan", { behavior: "allow", updates });
  await one.plans("# Plan");
  await one.exit();
  expect(one.permissions.mode()).toBe("acceptEdits");
});

test("a plan that a person does not want keeps the agent in plan mode, and may end its turn", async () => {
  const one = agent("plan", { behavior: "deny", message: "too long", interrupt: true });
  await one.plans("# Plan");
  const { text, isError } = await one.exit();
  expect(isError).toBe(true);
  expect(text).toContain("The plan was not approved: too long. Stay in plan mode");
  expect(one.permissions.mode()).toBe("plan");
  expect(one.interrupted).toEqual(["too long"]);
});

test("a teammate that need not plan has nobody to wait for", async () => {
  const one = agent("plan", yes, "nobody");
  expect(await one.exit()).toEqual({ text: approved, isError: false });
  expect(one.permissions.mode()).toBe("default");
});

test("a plan for the lead is handed in whole, and a blank one is none", async () => {
  const one = agent("plan", yes, "lead");
  await one.plans(" \n");
  expect(await one.exit()).toMatchObject({ isError: true });
  await one.plans("# Plan\n\n1. Sand it\n");
  expect((await one.exit()).text).toContain("(request r1)");
  expect(one.submitted).toEqual(["# Plan\n\n1. Sand it\n"]);
  expect(one.permissions.mode()).toBe("plan");
});

test("a conversation's plan is always in the same file, and another's in another", async () => {
  const root = scratch();
  const store = openFileStore({ root });
  const file = (id: string) => planFileOf(id, { root, store });
  expect(file("s1").path).toBe(file("s1").path);
  expect(file("s1").path).not.toBe(file("s2").path);
  expect(file("s1").path).toMatch(/\/plans\/[a-z]+-[a-z]+-[a-z]+\.md$/);
  expect(await file("s1").read()).toBeUndefined();
  await store.savePlan("x-y-z", "");
  writeFileSync(file("s1").path, "# Plan");
  expect(await file("s1").read()).toBe("# Plan");
});

test("a plan that is handed in stands in the store also where that has no files, and the agent's own file counts", async () => {
  const [root, elsewhere] = [scratch(), scratch()];
  const store = openFileStore({ root: elsewhere });
  const { path, read } = planFileOf("s1", { root, store });
  const name = basename(path, ".md");
  await store.savePlan(name, "# Kept");
  expect(await read()).toBe("# Kept");
  await openFileStore({ root }).savePlan(name, "# Written");
  expect(await read()).toBe("# Written");
  expect(await store.readPlan(name)).toBe("# Written");
});

test("the tools take what the boundary of each revision takes", () => {
  for (const revision of revisions) {
    const permissions = permitted("/", "/");
    const planMode = createPlanMode(permissions);
    const plan = { path: "/plan.md", read: async () => undefined };
    const tool = exitPlanModeTool({
      revision,
      planMode,
      permissions,
      plan,
      newId: () => "q",
      approver: () => undefined,
    });
    expect(tool.faultOf?.({ allowedPrompts: [{ tool: "Bash", prompt: "test" }] })).toBeUndefined();
    expect(tool.faultOf?.({ allowedPrompts: [{ tool: "Write", prompt: "test" }] })).toContain("Bash");
  }
});

test("to have entered plan mode of its own is no leave once a person has set it again", async () => {
  const one = agent("default", { behavior: "deny", message: "not yet" });
  await one.enter();
  one.permissions.setMode("acceptEdits");
  one.permissions.setMode("plan");
  await one.plans("# Plan");
  expect(await one.exit()).toMatchObject({ isError: true });
  expect(one.permissions.mode()).toBe("plan");
});
