import { expect, test } from "vitest";
import { memoryLimits, memorySection } from "./memory.ts";

const path = "/p/.claude/agent-memory/reviewer/MEMORY.md";
const sectionOf = (text: string) => memorySection({ scope: "project", path, text });
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}.`).join("\n");

test("[MEM-03] the first 200 lines are shown and the next is not", () => {
  const section = sectionOf(numbered(201));
  expect(section).toContain(numbered(200));
  expect(section).not.toContain("line 201.");
});

test("a memory that is there and cannot be read is called neither empty nor forgotten", () => {
  const section = memorySection({ scope: "project", path, text: "", fault: "it is not a file" });
  expect(section).toContain("It cannot be read: it is not a file.");
  expect(section).not.toContain("empty");
});

test("[MEM-04] beyond 200 lines the agent is told to tidy the file, and up to there it is not", () => {
  expect(sectionOf(numbered(201))).toContain(`Only the beginning of ${path} is shown above: it has 201 lines`);
  expect(sectionOf(numbered(201))).toContain("Clean it up");
  expect(sectionOf(`${numbered(200)}\n\n`)).not.toContain("Clean it up");
});

test("[MEM-03] 25,000 bytes are shown where they come before 200 lines: whole lines, and of a long one whole characters", () => {
  const line = "é".repeat(499);
  const fit = Array.from({ length: 25 }, () => line).join("\n");
  expect(Buffer.byteLength(fit)).toBe(memoryLimits.bytes - 26);
  expect(sectionOf(`${fit}\n${"x".repeat(25)}`)).not.toContain("Clean it up");
  const section = sectionOf(`${fit}\n${"x".repeat(26)}`);
  expect(section).toContain(`\n\n${fit}\n\nOnly the beginning`);
  expect(section).toContain(`26 lines and ${memoryLimits.bytes + 1} bytes`);
  expect(sectionOf(`${fit}\n${"x".repeat(25)}\nmore`)).toContain(`\n${"x".repeat(25)}\n\nOnly the beginning`);
  expect(sectionOf(`a${"é".repeat(20_000)}`)).toContain(`\n\na${"é".repeat(12_499)}\n\nOnly the beginning`);
});

test("a memory that has not been written yet is announced with its place", () => {
  for (const text of ["", "\n \n"]) {
    expect(sectionOf(text)).toContain(path);
    expect(sectionOf(text)).toContain("still empty");
    expect(sectionOf(text)).not.toContain("Clean it up");
  }
});

test("every scope says whom it reaches", () => {
  const sections = (["user", "project", "local"] as const).map((scope) => memorySection({ scope, path, text: "x" }));
  expect(new Set(sections).size).toBe(3);
});
