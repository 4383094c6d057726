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

test("a memory that a clone brings as a pipe makes no agent wait, and one that is a link or lies behind one is shown to nobody", async () => {
  const { place, words } = open();
  execFileSync("mkfifo", [place("piped")]);
  expect(await words("piped")).toContain("It cannot be read: it is not a file.");
  const secret = join(scratch(), "MEMORY.md");
  writeFileSync(secret, "a secret");
  symlinkSync(secret, place("linked"));
  symlinkSync(dirname(secret), join(dirname(dirname(place("linked"))), "behind"));
  for (const name of ["linked", "behind"]) {
    expect(await words(name)).toContain("It cannot be read: a link leads out of the directory.");
    expect(await words(name)).not.toContain("a secret");
  }
});
