import { expect, test } from "vitest";
import { readSkill } from "./front-matter.ts";

const read = (...lines: string[]) => readSkill(`---\n${lines.join("\n")}\n---\nBody.\n`, "2026-11");
const forked = ["name: audit", "description: Audits.", "context: fork"];

test("[SLASH-01] context: fork makes a skill forked, and nothing else does", () => {
  expect(read(...forked)).toMatchObject({ matter: { isForked: true, body: "Body.\n" }, faults: [] });
  expect(read("name: audit", "description: Audits.").matter).toEqual({
    name: "audit",
    description: "Audits.",
    body: "Body.\n",
  });
  expect(read("context: spoon")).toMatchObject({ faults: [{ message: expect.stringContaining("only be fork") }] });
  expect(read("context: spoon").matter).not.toHaveProperty("isForked");
});

test("every field is understood as people write it, with or without a name and a description", () => {
  const fields = ["agent: Explore", "model: Haiku", "background: no", "argument-hint: [file] [words]"];
  for (const own of [forked, ["context: fork"], [...forked, "name: a/b"], ["description:", "context: fork"]]) {
    const { matter } = read(...own, ...fields, "disable-model-invocation: yes", "user-invocable: false");
    expect(matter).toMatchObject({ agent: "Explore", model: "haiku", background: false, isForked: true });
    expect(matter).toMatchObject({ argumentHint: "[file] [words]", isForModel: false, isForUser: false });
  }
  expect(read("argument-hint: [file]").matter?.argumentHint).toBe("[file]");
  expect(read("name: only").matter).toEqual({ name: "only", body: "Body.\n" });
  expect(read("description: Only.").matter).toEqual({ description: "Only.", body: "Body.\n" });
});

test("allowed-tools is a list or a text, and one that is neither allows nothing", () => {
  const tools = (...lines: string[]) => read(...forked, ...lines).matter?.allowedTools;
  expect(tools("allowed-tools:", "- Read", "- Grep", "- Glob")).toEqual(["Read", "Grep", "Glob"]);
  expect(tools("allowed-tools: Read, Bash(git diff:*) Grep")).toEqual(["Read", "Bash(git diff:*)", "Grep"]);
  expect(tools("allowed-tools: [Read]")).toEqual(["Read"]);
  expect(tools("allowed-tools:")).toBeUndefined();
  expect(tools("allowed-tools: {Read: true}")).toEqual([]);
  expect(tools("allowed-tools: [1]")).toEqual([]);
});

test("a flag that is neither true nor false keeps the model out and the person in, and is told", () => {
  const { matter, faults } = read("disable-model-invocation: maybe", "user-invocable: maybe");
  expect(matter).toEqual({ isForModel: false, body: "Body.\n" });
  expect(faults.map(({ message }) => message)).toEqual([
    expect.stringContaining("disable-model-invocation is neither"),
    expect.stringContaining("user-invocable is neither"),
  ]);
});

test("hooks are kept as they run under the revision, and only where an agent of its own has them", () => {
  const hooks = ["hooks:", "  PreToolUse:", "    - hooks: [{type: command, command: x}]"];
  const message = [{ hooks: [{ type: "command", command: "x" }] }];
  expect(read(...forked, ...hooks).matter?.hooks).toEqual({ PreToolUse: message });
  const unforked = read("name: a", ...hooks);
  expect(unforked.matter).not.toHaveProperty("hooks");
  expect(unforked.faults).toEqual([{ message: expect.stringContaining("hooks have no effect") }]);
  const text = (event: string) =>
    `---\ncontext: fork\nhooks:\n  ${event}:\n    - hooks: [{type: command, command: x}]\n---\n`;
  expect(readSkill(text("SessionEnd"), "2026-02").matter).not.toHaveProperty("hooks");
});

test("a file without front matter is all text, and one whose front matter cannot be read is no skill", () => {
  expect(readSkill("\uFEFFJust do it.", "2026-02")).toEqual({ matter: { body: "Just do it." }, faults: [] });
  expect(readSkill("", "2026-02").matter).toEqual({ body: "" });
  for (const text of ["---\nname: a\n", "---\n: [\n---\n", "---\n- a\n---\n", "---\nname: a\ntools: {a: b}\n---\n"]) {
    const { matter, faults } = readSkill(text, "2026-02");
    expect(matter).toBeUndefined();
    expect(faults).not.toEqual([]);
  }
});
