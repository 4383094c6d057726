import { type Ask, bubbleTo, type CallQuestion, type Reply } from "@troupe/team";
import { expect, test } from "vitest";
import { bashCall as bash, callOf as call, permitted, ruleBelow } from "../../test/permitted.ts";
import type { Advice } from "./advice.ts";
import type { PermissionsDeps } from "./permissions.ts";

const top = "/nowhere";
const project = "/nowhere/project";

const rule = ruleBelow(top);
const create = (more: Partial<PermissionsDeps> = {}) => permitted(project, top, more);
const { signal } = new AbortController();

/** Answers in turn and keeps what it was asked. */
function person(...replies: Reply[]) {
  const asked: CallQuestion[] = [];
  const ask: Ask = async (question) => {
    asked.push(question);
    return replies.shift() ?? { behavior: "deny", message: "no more answers" };
  };
  return { ask, asked };
}

test("[PERM-15] dontAsk denies what is not allowed beforehand and asks nobody", async () => {
  const { ask, asked } = person({ behavior: "allow" });
  const { permit } = create({ mode: "dontAsk", ask, rules: [rule("allow", "Bash(make:*)")] });
  expect(await permit(bash("make all"), {}, signal)).toMatchObject({ runs: true });
  expect(await permit(bash("make all; x"), {}, signal)).toMatchObject({ runs: false });
  expect(asked).toEqual([]);
});

test("a call whose reach cannot be told is asked about", () => {
  const { judge } = create();
  const failing = call("Read", {}, () => {
    throw new Error("no");
  });
  expect(judge(failing).behavior).toBe("ask");
  expect(judge(call("Unheard", {})).behavior).toBe("ask");
  expect(judge(call("Quiet", {}, () => [])).behavior).toBe("allow");
});

test("an answer can change the call and grant more for later, but not change it into one that is denied", async () => {
  const updates = [
    {
      type: "addRules",
      rules: [{ toolName: "Bash", ruleContent: "make:*" }],
      behavior: "allow",
      destination: "session",
    },
  ];
  const { ask, asked } = person(
    { behavior: "allow", updatedInput: { command: "make -n" }, updates },
    { behavior: "allow", updatedInput: { command: "rm x" } },
  );
  const { permit } = create({ ask, rules: [rule("deny", "Bash(rm:*)")] });
  expect(await permit(bash("make"), {}, signal)).toEqual({ runs: true, input: { command: "make -n" } });
  expect(await permit(bash("make x"), {}, signal)).toEqual({ runs: true, input: { command: "make x" } });
  expect(asked).toMatchObject([{ id: "question", call: "call", tool: "Bash", input: { command: "make" } }]);
  expect(await permit(bash("other"), {}, signal)).toMatchObject({ runs: false });
});

test("a hook that asks makes a question of what is allowed, and one that allows spares one", async () => {
  const { ask, asked } = person();
  const { permit } = create({ ask, rules: [rule("allow", "Bash(make:*)"), rule("ask", "Bash(ship:*)")] });
  const says = (advice: Advice) => ({ before: async () => advice });
  const allowing = says({ behavior: "allow" });
  expect(await permit(bash("make"), says({ behavior: "ask", reason: "look" }), signal)).toMatchObject({ runs: false });
  expect(await permit(bash("other"), allowing, signal)).toMatchObject({ runs: true });
  expect(await permit(bash("ship"), allowing, signal)).toMatchObject({ runs: false });
  expect(asked.map(({ reason }) => reason)[0]).toBe("look");
  expect(asked).toHaveLength(2);
});

test("[ATP-PRM-003] [ATP-PRM-006] a question has one answer: the first, or a denial when none comes, and what comes later does nothing", async () => {
  let late: (reply: Reply) => void = () => {};
  const aborted: string[] = [];
  const ask: Ask = (_, over) => {
    over.addEventListener("abort", () => aborted.push("over"));
    return new Promise((resolve) => {
      late = resolve;
    });
  };
  const permissions = create({ ask, timeoutMs: 5 });
  expect(await permissions.permit(bash("make"), {}, signal)).toMatchObject({
    runs: false,
    message: expect.stringContaining("nobody answered"),
  });
  late({ behavior: "allow", updates: [{ type: "setMode", mode: "acceptEdits", destination: "session" }] });
  await Promise.resolve();
  expect(permissions.mode()).toBe("default");
  const failing = create({ ask: async () => Promise.reject(new Error("the terminal is gone")) });
  expect(await failing.permit(bash("make"), {}, signal)).toMatchObject({
    runs: false,
    message: expect.stringContaining("the terminal is gone"),
  });
  const stopped = create({ ask });
  expect(await stopped.permit(bash("make"), {}, AbortSignal.abort())).toMatchObject({ runs: false });
  expect(aborted).toEqual(["over"]);
  const reasons: string[] = [];
  const refusing = person({ behavior: "deny", message: "not on a Friday", interrupt: true });
  const told = create({ ask: refusing.ask, interrupt: (reason) => reasons.push(reason) });
  expect(await told.permit(bash("make"), {}, signal)).toMatchObject({
    runs: false,
    message: expect.stringContaining("not on a Friday"),
  });
  expect(reasons).toEqual(["not on a Friday"]);
});

test("[PERM-11] [PERM-21] a question of a fork goes up to the parent with the name and colour of whoever asks, also from two levels down", async () => {
  const { ask, asked } = person({ behavior: "allow" }, { behavior: "allow" });
  const badge = { name: "reviewer", color: "purple" };
  const child = bubbleTo(ask, badge);
  const { permit } = create({ mode: "bubble", ask: child });
  expect(await permit(bash("make"), {}, signal)).toMatchObject({ runs: true });
  await create({ mode: "bubble", ask: bubbleTo(child, { name: "inner" }) }).permit(bash("make"), {}, signal);
  expect(asked.map(({ from }) => from)).toEqual([badge, { name: "inner" }]);
});
