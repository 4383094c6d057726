import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Revision } from "@troupe/protocol";
import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { human, play, rehearse, talkIn } from "../../test/rehearsal.ts";
import { workbench } from "../../test/workbench.ts";
import { scriptedModel } from "../model/scripted.ts";

test("only pure reads are run again after a crash, and a shell never runs beside its neighbours", () => {
  const { tools } = workbench();
  const names = (is: (tool: (typeof tools)[number]) => boolean) =>
    tools.filter(is).map(({ definition }) => definition.name);
  expect(names(({ isReplayable }) => isReplayable)).toEqual(["Read", "Glob", "Grep", "Skill"]);
  expect(names((tool) => tool.isConcurrent({}))).toEqual(["Read", "Glob", "Grep", "TaskOutput", "WebFetch", "Skill"]);
});

test("a revision has the tools that its client has", () => {
  const names = (revision: Revision) => workbench({ revision }).tools.map(({ definition }) => definition.name);
  expect(names("2026-02").filter((name) => !names("2026-11").includes(name))).toEqual(["TaskOutput"]);
});

test("every tool has a name of its own and a schema that is the whole of what it checks", () => {
  const { tools } = workbench();
  expect(new Set(tools.map(({ definition }) => definition.name)).size).toBe(tools.length);
  for (const { definition, faultOf } of tools) {
    expect(definition.input_schema).toMatchObject({ type: "object" });
    expect(definition.input_schema).not.toHaveProperty("$schema");
    expect(faultOf?.("no object")).toContain("expected object");
  }
});

test("a command reaches itself, and a change the file it writes", () => {
  const { toolCalled, cwd } = workbench();
  expect(toolCalled("Bash").reaches?.({ command: "ls" }, cwd)).toEqual([{ kind: "command", command: "ls" }]);
  const write = [{ kind: "write", path: `${cwd}/a` }];
  expect(toolCalled("Write").reaches?.({ file_path: "a", content: "" }, cwd)).toEqual(write);
  expect(toolCalled("Edit").reaches?.({ file_path: "a", old_string: "x", new_string: "" }, cwd)).toEqual(write);
  expect(toolCalled("NotebookEdit").reaches?.({ notebook_path: "a", new_source: "" }, cwd)).toEqual(write);
  expect(toolCalled("Grep").reaches?.({ pattern: "x" }, cwd)).toEqual([{ kind: "read", path: cwd }]);
});

test("an agent reads a file, changes it and runs it, and a wrong call is told what is wrong", async () => {
  const { tools, agent, cwd } = workbench();
  const file_path = join(cwd, "hello.sh");
  writeFileSync(file_path, "echo hello\n");
  const model = scriptedModel([
    [toolUse("t1", "Read", { file_path }), toolUse("t2", "Read", { path: file_path })],
    [toolUse("t3", "Edit", { file_path, old_string: "hello", new_string: "goodbye" })],
    [toolUse("t4", "Bash", { command: "sh hello.sh" })],
    [words("done")],
  ]);
  const rehearsal = rehearse({ path: join(cwd, "s.jsonl"), tools, agent, model, inbox: [human("i1")] });
  const { terminal } = await play(rehearsal);
  expect(terminal).toMatchObject({ text: "done" });
  const answers = talkIn(rehearsal).flatMap(({ content }) => content.map((block) => JSON.stringify(block)));
  expect(answers.find((answer) => answer.includes('"t2"') && answer.includes("tool_result"))).toContain("file_path");
  expect(answers.at(-2)).toContain("goodbye");
  expect(readFileSync(file_path, "utf8")).toBe("echo goodbye\n");
});
