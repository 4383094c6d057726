import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { workbench } from "../../test/workbench.ts";
import { loadSkills } from "./load.ts";
import { slashCommand } from "./slash.ts";

function typing(files: Readonly<Record<string, string>>) {
  const root = scratch();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, "skills", name), { recursive: true });
    writeFileSync(join(root, "skills", name, "SKILL.md"), text);
  }
  const { skills } = loadSkills({ root, cwd: scratch(), isTrusted: false, revision: "2026-02" });
  return { directory: join(root, "skills"), skills, type: (text: string) => slashCommand(text, skills) };
}
const usual = { deploy: "Deploy $0.", review: "Review.", hidden: "---\nuser-invocable: false\n---\nKnow." };

test("a command comes before the model as its name, its words and its text", async () => {
  const { type, directory } = typing(usual);
  const base = `Base directory for this skill: ${directory}`;
  expect(await type("/deploy  staging now\nplease ")).toMatchObject({
    kind: "prompt",
    skill: { name: "deploy" },
    content: [
      {
        type: "text",
        text: "<command-message>deploy</command-message>\n<command-name>/deploy</command-name>\n<command-args>staging now\nplease</command-args>",
      },
      { type: "text", text: `${base}/deploy\n\nDeploy staging.` },
    ],
  });
  expect(await type("/review")).toMatchObject({
    content: [
      { text: "<command-message>review</command-message>\n<command-name>/review</command-name>" },
      { text: `${base}/review\n\nReview.` },
    ],
  });
});

test("[SLASH-01] [SLASH-03] a person who types a forked skill's name starts it with its prompt, though no model can call it", async () => {
  const fork = "---\nname: audit-auth\ncontext: fork\nallowed-tools:\n- Read\n- Grep\n---\nAudit $ARGUMENTS.";
  const { type, skills } = typing({ "audit-auth": fork.replace("---\n", "---\ndisable-model-invocation: true\n") });
  const command = await type("/audit-auth the login");
  expect(command).toMatchObject({ kind: "fork", skill: { name: "audit-auth", allowedTools: ["Read", "Grep"] } });
  expect(command).toMatchObject({ prompt: expect.stringMatching(/\n\nAudit the login\.$/) });
  expect((await workbench({ skills }).call("Skill", { skill: "audit-auth" })).isError).toBe(true);
});

test("what is no command stays a person's words", async () => {
  const { type } = typing(usual);
  for (const text of [
    "deploy",
    "",
    "/",
    "/etc/hosts is wrong",
    "/etc/hosts",
    "/ deploy",
    "//deploy",
    "/tell me",
    "a /deploy",
  ])
    expect(await type(text)).toBeUndefined();
});

test("a lone word that names nothing is unknown, with what is like it; what only the model may call is not there", async () => {
  const { type } = typing({ ...usual, "deploy-all": "x" });
  expect(await type("/depoly")).toEqual({ kind: "unknown", near: ["deploy"] });
  expect(await type("/view")).toEqual({ kind: "unknown", near: ["review"] });
  expect(await type("/hidden")).toEqual({ kind: "unknown", near: [] });
  expect(await type("/x")).toEqual({ kind: "unknown", near: [] });
  expect(await type("/Deploy")).toEqual({ kind: "unknown", near: ["deploy", "deploy-all"] });
});
