import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseAgentsJson } from "./agents-json.ts";
import { parseAgentDefinition } from "./parse.ts";

const seed = readFileSync(new URL("../../corpus/agents/seed/agents-flag.json", import.meta.url), "utf8");
const flat = { name: "helper", description: "Checks.", prompt: "You check.", tools: ["Read"] };
const { name: _, ...keyed } = flat;
const read = (value: unknown) => parseAgentsJson(JSON.stringify(value));

test("[DEF-60] the seed's --agents JSON carries every field of the front matter", () => {
  const { definitions, problems } = parseAgentsJson(seed);
  expect(definitions).toEqual([{ ...JSON.parse(seed), prompt: "" }]);
  expect(problems).toMatchObject([{ path: "/prompt", code: "field_missing" }]);
});

test("[ATP-DEF-018] JSON and front matter with the same fields are the same definition, color and prompt included", () => {
  const fields = { ...JSON.parse(seed), color: "pink", effort: "high", background: true, extra: { kept: [1] } };
  const yaml = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  const fromFile = parseAgentDefinition(`---\n${yaml.join("\n")}\n---\nYou check.\n`);
  expect(fromFile.problems).toEqual([]);
  expect(read({ ...fields, prompt: "You check." })).toEqual({ definitions: [fromFile.definition], problems: [] });
});

test.each<[string, unknown]>([
  ["one flat object", flat],
  ["an object keyed by name", { helper: keyed }],
  ["a list of flat objects", [flat]],
  ["an object keyed by name that repeats the name", { helper: flat }],
])("[DEF-22] [DEF-60] [ATP-DEF-018] %s is read, with the system prompt in prompt", (_, value) => {
  expect(read(value)).toEqual({ definitions: [flat], problems: [] });
});

test("an agent may be called name, description or prompt", () => {
  const { definitions } = read({ name: keyed, description: keyed, prompt: keyed });
  expect(definitions.map(({ name }) => name)).toEqual(["name", "description", "prompt"]);
});

test("one bad agent does not spoil the others, and its problem says whose it is", () => {
  const { definitions, problems } = read({
    bad: { prompt: "x" },
    worse: 7,
    tools: { ...keyed, tools: {} },
    good: keyed,
  });
  expect(definitions.map(({ name }) => name)).toEqual(["good"]);
  expect(problems.map(({ path }) => path)).toEqual(["/bad/description", "/worse", "/tools/tools"]);
});

test("[DEF-03] of two agents with one name the last counts, and that is reported", () => {
  const { definitions, problems } = read([flat, { ...flat, prompt: "You decide." }]);
  expect(definitions).toMatchObject([{ name: "helper", prompt: "You decide." }]);
  expect(problems).toMatchObject([{ code: "name_duplicated" }]);
});

test("the key is the name, whatever else the agent is called", () => {
  const { definitions, problems } = read({ helper: { ...flat, name: "other" } });
  expect(definitions).toMatchObject([{ name: "helper" }]);
  expect(problems).toMatchObject([{ path: "/helper/name", code: "id_mismatched" }]);
});

test.each(["", "{", "null", "7", '"text"', "[1]", '{"a": null}'])("%j is no agent, and the problem says so", (text) => {
  const { definitions, problems } = parseAgentsJson(text);
  expect(definitions).toEqual([]);
  expect(problems).toHaveLength(1);
  expect(problems[0]?.fix).not.toBe("");
});

test("a key called __proto__ is dropped at any depth", () => {
  const text = `{"__proto__": {"description": "x"}, "helper": {"description": "Checks.", "prompt": "x", "x": {"__proto__": {"polluted": 1}}}}`;
  const { definitions } = parseAgentsJson(text);
  expect(definitions).toEqual([{ name: "helper", description: "Checks.", prompt: "x", x: {} }]);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});
