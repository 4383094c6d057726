import fc from "fast-check";
import { expect, test } from "vitest";
import { HooksConfig } from "./config.ts";
import { readHooks } from "./read-hooks.ts";

const command = { type: "command", command: "./check.sh" };

test("[HOOK-08] what is sound is kept with its unknown fields", () => {
  const hooks = {
    Stop: [{ hooks: [command, { type: "webhook", to: 1 }], comment: "x" }],
    PreToolUse: [{ matcher: "Bash|Edit", hooks: [command] }],
  };
  expect(readHooks(hooks)).toEqual({ hooks, problems: [] });
});

test("an invalid element is left out whole, reported with its position, and removes nothing else", () => {
  const { hooks, problems } = readHooks(
    {
      Stop: { hooks: [] },
      PreToolUse: [
        { matcher: 5, hooks: [command] },
        { matcher: "Bash", hooks: [{ type: "command", cmd: "x" }, { ...command, if: 1 }, null, command] },
        "x",
      ],
      PostToolUse: [{ matcher: "Edit(", hooks: [command] }],
    },
    ["hooks"],
  );
  expect(hooks).toEqual({
    PreToolUse: [{ matcher: "Bash", hooks: [command] }],
    PostToolUse: [{ matcher: "Edit(", hooks: [command] }],
  });
  expect(problems.map(({ path, code }) => [path, code])).toEqual([
    ["/hooks/Stop", "field_invalid"],
    ["/hooks/PreToolUse/0/matcher", "field_invalid"],
    ["/hooks/PreToolUse/1/hooks/0/command", "field_missing"],
    ["/hooks/PreToolUse/1/hooks/1/if", "field_invalid"],
    ["/hooks/PreToolUse/1/hooks/2", "field_invalid"],
    ["/hooks/PreToolUse/2", "field_invalid"],
    ["/hooks/PostToolUse/0/matcher", "field_invalid"],
  ]);
});

test.each([[undefined], [null], ["Stop"], [[]], [1]])("%j is no hook configuration", (value) => {
  expect(readHooks(value)).toMatchObject({ hooks: {}, problems: [{ path: "" }] });
});

test("an event called __proto__ is an event", () => {
  const { hooks } = readHooks(JSON.parse('{"__proto__":[{"hooks":[{"type":"x"}]}]}'));
  expect(Object.keys(hooks)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(hooks)).toBe(Object.prototype);
});

test("whatever is read, what is kept is a hook configuration, and all of it was there", () => {
  const handler = fc.oneof(fc.constant(command), fc.record({ type: fc.constantFrom("prompt", "x", 1) }), fc.anything());
  const group = fc.oneof(
    fc.record({ matcher: fc.oneof(fc.string(), fc.nat()), hooks: fc.array(handler) }),
    fc.anything(),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("Stop", "X"), fc.oneof(fc.array(group), fc.anything())), (value) => {
      const { hooks, problems } = readHooks(value);
      expect(HooksConfig.safeParse(hooks).success).toBe(true);
      if (problems.length === 0) expect(hooks).toEqual(value);
    }),
  );
});
