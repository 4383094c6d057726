import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { agentMemory } from "@troupe/protocol";
import { expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import type { KnownAgent } from "../project/definitions.ts";
import { systemOf } from "./subagent-prompt.ts";

const open = () => {
  const project = scratch();
  const words = async (agentType: string) => {
    const environment = { cwd: project, platform: "linux", date: "2026-11-18" };
    const agent: KnownAgent = {
      agentType,
      whenToUse: "",
      getSystemPrompt: () => "",
      source: "user",
      memory: "project",
    };
    const system = await systemOf({ agent, root: scratch(), project, skills: [], environment, instructions: [] });
    return system.map((block) => JSON.stringify(block)).join("\n");
  };
  const place = (agentType: string) => {
    const file = join(agentMemory("project", agentType, "", project), "MEMORY.md");
    mkdirSync(dirname(file), { recursive: true });
    return file;
  };
  return { place, words };
};

test("what an agent remembers is told to it, and an agent that has written nothing yet is told so", async () => {
  const { place, words } = open();
  writeFileSync(place("reader"), "The lexer is in lex.ts.");
  expect(await words("reader")).toContain("The lexer is in lex.ts.");
  expect(await words("novice")).toContain("It is still empty.");
});

test("a memory that a clone brings as a pipe or a device makes no agent wait, and is told as what cannot be read", async () => {
  const { place, words } = open();
  execFileSync("mkfifo", [place("piped")]);
  symlinkSync("/dev/zero", place("endless"));
  for (const name of ["piped", "endless"]) expect(await words(name)).toContain("It cannot be read: it is not a file.");
});
