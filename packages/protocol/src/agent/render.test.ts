import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentDefinition } from "./definition.ts";
import { effortLevels, isolations, memoryScopes } from "./legal-values.ts";
import { lintAgentDefinition } from "./lint.ts";
import { parseAgentDefinition } from "./parse.ts";
import { renderAgentDefinition } from "./render.ts";

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const prose = fc
  .oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.constantFrom("a: b", "C:\\new\n", "x\\n\\ny", "---\n- a", "yes", "'", "# x"),
  )
  .map((text) => text.replace(/[\u0000\r\uFEFF\uFFFD]/g, "").trim())
  .filter((text) => text !== "");
/**
 * JSON has no negative zero, and a definition keeps no key called `__proto__`: see the test below.
 */
const json = fc
  .jsonValue({ maxDepth: 2 })
  .map((value): unknown =>
    JSON.parse(JSON.stringify(value), (key, held: unknown) => (key === "__proto__" ? undefined : held)),
  );
const definition = fc
  .record(
    {
      name: word,
      description: prose,
      tools: fc.array(fc.constantFrom("Read", "Bash(git:*)", "Task(a, b)", "mcp__a__*", "*"), { maxLength: 3 }),
      model: fc.constantFrom("sonnet", "inherit", "claude-opus-4-6"),
      maxTurns: fc.integer({ min: 1 }),
      skills: fc.array(word),
      mcpServers: fc.array(
        fc.oneof(
          word,
          fc.record({ command: word }),
          fc.dictionary(word, fc.record({ url: word }), { minKeys: 1, maxKeys: 1 }),
        ),
      ),
      memory: fc.constantFrom(...memoryScopes),
      effort: fc.oneof(fc.constantFrom(...effortLevels), fc.nat()),
      background: fc.boolean(),
      isolation: fc.constantFrom(...isolations),
      initialPrompt: prose,
      unknown: json,
      prompt: prose,
    },
    { requiredKeys: ["name", "description", "prompt"] },
  )
  .filter(({ mcpServers = [] }) =>
    mcpServers.every(
      (server) => typeof server === "string" || !("url" in server || "command" in server) || "command" in server,
    ),
  ) as fc.Arbitrary<AgentDefinition>;

test("a definition that is written and read again is the same", () => {
  fc.assert(
    fc.property(definition, (written) => {
      expect(parseAgentDefinition(renderAgentDefinition(written)).definition).toEqual(written);
    }),
    { numRuns: 500 },
  );
});

test("a rendered definition breaks no rule and has its fields in the usual order", () => {
  const text = renderAgentDefinition({
    prompt: "You check.",
    memory: "project",
    tools: ["Read", "Task(a, b)"],
    description: "Use when: it is done\nor nearly so",
    name: "yes",
    extra: { b: 1 },
  });
  expect(lintAgentDefinition({ path: "agents/yes.md", text })).toEqual([]);
  expect(text.match(/^\w+/gm)).toEqual(expect.arrayContaining(["name", "description", "tools", "memory", "extra"]));
  expect(text.indexOf("tools:")).toBeLessThan(text.indexOf("memory:"));
  expect(text).toContain('name: "yes"');
});

test("a key called __proto__ is not kept, at any depth", () => {
  const text = "---\nname: a\ndescription: d\nunknown:\n  __proto__:\n    x: 1\n  kept: 1\n---\n\nb\n";
  expect(parseAgentDefinition(text).definition).toMatchObject({ unknown: { kept: 1 } });
  expect(JSON.stringify(parseAgentDefinition(text).definition)).not.toContain("__proto__");
});
