import { expect, test } from "vitest";
import { currentModels } from "./catalog.ts";
import { chooseModel, type ModelOverrides } from "./choice.ts";

const parent = "claude-opus-4-8";

test.each(["sonnet", "opus", "haiku", "fable"] as const)(
  "[DEF-07] a definition that asks for %s gets the current one",
  (alias) => {
    expect(chooseModel({ asked: alias, parent })).toBe(currentModels[alias]);
    expect(chooseModel({ asked: ` ${alias.toUpperCase()} `, parent })).toBe(currentModels[alias]);
  },
);

test.each([undefined, "", "  ", "inherit"])(
  "[DEF-07] a definition that asks for '%s' inherits its parent's",
  (asked) => {
    expect(chooseModel({ asked, parent })).toBe(parent);
  },
);

test("what is no alias is taken as an id", () => {
  expect(chooseModel({ asked: "claude-opus-4-5@20251101", parent })).toBe("claude-opus-4-5@20251101");
  expect(chooseModel({ asked: "constructor", parent })).toBe("constructor");
});

test("[DEF-08] CLAUDE_CODE_SUBAGENT_MODEL goes before what the call or the definition asks for", () => {
  const asked = "opus";
  expect(chooseModel({ asked, parent, overrides: { CLAUDE_CODE_SUBAGENT_MODEL: "mine" } })).toBe("mine");
  expect(chooseModel({ asked, parent, overrides: { CLAUDE_CODE_SUBAGENT_MODEL: "haiku" } })).toBe(currentModels.haiku);
});

test.each(["inherit", "", " "])("CLAUDE_CODE_SUBAGENT_MODEL='%s' decides nothing", (value) => {
  const overrides = { CLAUDE_CODE_SUBAGENT_MODEL: value };
  expect(chooseModel({ asked: "opus", parent, overrides })).toBe(currentModels.opus);
  expect(chooseModel({ asked: "inherit", parent, overrides })).toBe(parent);
});

test.each([
  ["opus", "ANTHROPIC_DEFAULT_OPUS_MODEL"],
  ["sonnet", "ANTHROPIC_DEFAULT_SONNET_MODEL"],
  ["haiku", "ANTHROPIC_DEFAULT_HAIKU_MODEL"],
  ["fable", "ANTHROPIC_DEFAULT_FABLE_MODEL"],
] as const)("[DEF-08] %s means what %s says, and nothing else does", (alias, variable) => {
  const overrides: ModelOverrides = { [variable]: "mine" };
  expect(chooseModel({ asked: alias, parent, overrides })).toBe("mine");
  expect(chooseModel({ overrides: { ...overrides, ANTHROPIC_MODEL: alias } })).toBe("mine");
  expect(chooseModel({ asked: currentModels[alias], parent, overrides })).toBe(currentModels[alias]);
  const others = Object.values(currentModels).filter((id) => id !== currentModels[alias]);
  const aliases = (["fable", "opus", "sonnet", "haiku"] as const).filter((one) => one !== alias);
  expect(aliases.map((one) => chooseModel({ asked: one, parent, overrides }))).toEqual(others);
});

test("ANTHROPIC_SMALL_FAST_MODEL is the older name of what haiku means, and the newer goes before it", () => {
  const overrides = { ANTHROPIC_SMALL_FAST_MODEL: "older" };
  expect(chooseModel({ asked: "haiku", parent, overrides })).toBe("older");
  const both = { ...overrides, ANTHROPIC_DEFAULT_HAIKU_MODEL: "newer" };
  expect(chooseModel({ asked: "haiku", parent, overrides: both })).toBe("newer");
});

test("the main conversation takes what the command line says, then ANTHROPIC_MODEL, then the current Sonnet", () => {
  const overrides = { ANTHROPIC_MODEL: "haiku", CLAUDE_CODE_SUBAGENT_MODEL: "for subagents only" };
  expect(chooseModel({ asked: "opus", overrides })).toBe(currentModels.opus);
  expect(chooseModel({ overrides })).toBe(currentModels.haiku);
  expect(chooseModel({})).toBe(currentModels.sonnet);
});

test("ANTHROPIC_MODEL says nothing about a subagent", () => {
  expect(chooseModel({ parent, overrides: { ANTHROPIC_MODEL: "haiku" } })).toBe(parent);
});
