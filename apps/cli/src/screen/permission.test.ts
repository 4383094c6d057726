import type { CallQuestion } from "@troupe/team";
import { expect, test } from "vitest";
import { paint } from "../paint.ts";
import { permissionQuestion } from "./permission.ts";

const asked = (more: Partial<CallQuestion>): CallQuestion => ({
  id: "q",
  call: "c",
  tool: "Bash",
  input: { command: "npm test" },
  reason: "no rule allows npm test",
  suggestions: [],
  ...more,
});
const rule = {
  type: "addRules",
  rules: [{ toolName: "Bash", ruleContent: "npm test" }],
  behavior: "allow",
  destination: "session",
} as const;

/** The answers, and what each comes to. */
function answers(question: CallQuestion, words = "") {
  const { question: shown, replyOf } = permissionQuestion(question);
  return shown.choices.map(({ label }, at) => [label, replyOf({ chosen: [at], words })] as const);
}

test("a call may be allowed once, or for the session, the folder or every folder", () => {
  expect(answers(asked({ suggestions: [rule] }))).toEqual([
    ["Yes", { behavior: "allow" }],
    ...(["session", "localSettings", "userSettings"] as const).map((destination, at) => [
      `Yes, and don't ask again in ${["this session", "this folder", "every folder"][at]}: Bash(npm test)`,
      { behavior: "allow", updates: [{ ...rule, destination }] },
    ]),
    ["No, and say what to do instead", { behavior: "deny", message: "the user denied it" }],
  ]);
});

test("edits may be allowed for the session, and a directory for the session and longer", () => {
  const mode = { type: "setMode", mode: "acceptEdits", destination: "session" } as const;
  expect(answers(asked({ tool: "Edit", suggestions: [mode] }))[1]).toEqual([
    "Yes, and don't ask again about edits in this session",
    { behavior: "allow", updates: [mode] },
  ]);
  const directories = { type: "addDirectories", directories: ["/out"], destination: "session" } as const;
  expect(answers(asked({ tool: "Write", suggestions: [directories] })).map(([label]) => label)).toEqual([
    "Yes",
    "Yes, and don't ask again in this session: work in /out",
    "Yes, and don't ask again in this folder: work in /out",
    "Yes, and don't ask again in every folder: work in /out",
    "No, and say what to do instead",
  ]);
});

test("what cannot be allowed for longer can be allowed once", () => {
  const unknown = { type: "somethingNew", destination: "session" };
  for (const suggestions of [[], [unknown]])
    expect(answers(asked({ suggestions })).map(([label]) => label)).toEqual(["Yes", "No, and say what to do instead"]);
});

test("a no carries the person's words, and turning away stops the turn", () => {
  expect(answers(asked({}), "use make").at(-1)?.[1]).toEqual({
    behavior: "deny",
    message: "the user denied it and said: use make",
  });
  expect(permissionQuestion(asked({})).replyOf(undefined)).toMatchObject({ behavior: "deny", interrupt: true });
});

test("a teammate's plan is answered with the mode it works in, the own with what it grants", () => {
  const accept = { type: "setMode", mode: "acceptEdits", destination: "session" } as const;
  const plan = asked({ tool: "ExitPlanMode", input: { plan: "# Plan" }, suggestions: [accept] });
  expect(answers(plan, "more tests").map(([, reply]) => reply)).toEqual([
    { behavior: "allow", updates: [accept] },
    { behavior: "allow", updates: [] },
    { behavior: "deny", message: "more tests" },
  ]);
  const ofAnn = { ...plan, suggestions: [], from: { name: "ann", color: "blue" } };
  expect(
    answers(ofAnn)
      .slice(0, 2)
      .map(([, reply]) => reply),
  ).toMatchObject([{ mode: "acceptEdits" }, { mode: "default" }]);
});

test("who asks stands first, with the colour of its badge, and no command can hide or steer", () => {
  const from = { name: "ann", color: "green" };
  const input = { command: "rm -rf x\n\x1b[2Jecho \u202e safe" };
  const text = paint(permissionQuestion(asked({ from, input })).question.about, { columns: 80, hasColor: true });
  expect(text).toMatch(/^\x1b\[32m@ann\x1b\[39m wants to use/);
  expect(text.replaceAll(/\x1b\[\d+m/g, "")).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
  expect(text).toContain("rm -rf x");
});

test("in a folder that is not trusted it is said that a later session asks again", () => {
  const noted = (isTrusted: boolean) =>
    permissionQuestion(asked({ suggestions: [rule] }), isTrusted).question.choices.flatMap(({ label, note }) =>
      note === undefined ? [] : [[label, note]],
    );
  expect(noted(true)).toEqual([]);
  expect(noted(false)).toEqual([[expect.stringContaining("in this folder"), expect.stringContaining("troupe trust")]]);
});
