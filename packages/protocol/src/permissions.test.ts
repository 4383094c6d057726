import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  directoryRule,
  internalPermissionModes,
  knownPermissionUpdate,
  PermissionMode,
  PermissionMode202602,
  PermissionMode202611,
  PermissionUpdate,
  permissionModes,
  permissionUpdateKinds,
  ruleDirectory,
} from "./permissions.ts";

const accepts = (update: unknown): boolean => PermissionUpdate.safeParse(update).success;
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
const acceptsAsJsonSchema = ajv.compile(z.toJSONSchema(PermissionUpdate, { io: "input" }));

test("each revision has its own public modes", () => {
  expect(permissionModes["2026-02"]).toEqual([
    "default",
    "acceptEdits",
    "delegate",
    "dontAsk",
    "bypassPermissions",
    "plan",
  ]);
  expect(permissionModes["2026-11"]).toEqual([
    "default",
    "manual",
    "acceptEdits",
    "auto",
    "plan",
    "dontAsk",
    "bypassPermissions",
  ]);
});

test("the mode of a fork is internal: nobody may name it", () => {
  for (const mode of internalPermissionModes) {
    for (const schema of [PermissionMode, PermissionMode202602, PermissionMode202611]) {
      expect(schema.safeParse(mode).success).toBe(false);
    }
  }
});

test("a reader takes the modes of both revisions", () => {
  for (const mode of [...permissionModes["2026-02"], ...permissionModes["2026-11"]]) {
    expect(PermissionMode.parse(mode)).toBe(mode);
  }
});

test("[PPROT-04] a suggestion to add directories lists them and says where it is kept", () => {
  const update = { type: "addDirectories", directories: ["/tmp", "/tmp/delegate-test"], destination: "session" };
  expect(PermissionUpdate.parse(update)).toEqual(update);
  expect(accepts({ type: "addDirectories", directories: "/tmp", destination: "session" })).toBe(false);
  expect(accepts({ type: "addDirectories", destination: "session" })).toBe(false);
  expect(accepts({ type: "addDirectories", directories: ["/tmp"] })).toBe(false);
});

test("[PPROT-05] a suggestion to set the mode names it and says where it is kept", () => {
  const update = { type: "setMode", mode: "acceptEdits", destination: "session" };
  expect(PermissionUpdate.parse(update)).toEqual(update);
  expect(accepts({ type: "setMode", destination: "session" })).toBe(false);
  expect(accepts({ type: "setMode", mode: 1, destination: "session" })).toBe(false);
});

test("[PPROT-06] a suggestion to add rules carries tool, content, behavior and where it is kept", () => {
  const rules = [{ toolName: "Read", ruleContent: directoryRule("/tmp") }];
  const update = { type: "addRules", rules, behavior: "allow", destination: "session" };
  expect(PermissionUpdate.parse(update)).toEqual({
    type: "addRules",
    rules: [{ toolName: "Read", ruleContent: "//tmp/**" }],
    behavior: "allow",
    destination: "session",
  });
  expect(accepts({ ...update, rules: [{ ruleContent: "//tmp/**" }] })).toBe(false);
  expect(accepts({ type: "addRules", rules, destination: "session" })).toBe(false);
});

test.each([
  ["/tmp", "//tmp/**"],
  ["/home/dev/project/", "//home/dev/project/**"],
  ["/", "//**"],
  ["docs", "docs/**"],
])("[PPROT-06] the rule content for everything under %s is %s", (directory, content) => {
  expect(directoryRule(directory)).toBe(content);
});

test("[PPROT-06] the directory of an absolute rule content comes back, and no other content has one", () => {
  for (const directory of ["/tmp", "/home/dev/project", "/"]) {
    expect(ruleDirectory(directoryRule(directory))).toBe(directory);
  }
  for (const content of ["docs/**", "/tmp/**", "//tmp", "git:*", ""]) expect(ruleDirectory(content)).toBeUndefined();
});

test("the updates that take away or replace have the fields of those that add", () => {
  const rules = [{ toolName: "Bash" }];
  for (const type of ["replaceRules", "removeRules"]) {
    expect(accepts({ type, rules, behavior: "deny", destination: "projectSettings" })).toBe(true);
    expect(accepts({ type, rules: {}, behavior: "deny", destination: "projectSettings" })).toBe(false);
  }
  expect(accepts({ type: "removeDirectories", directories: ["/tmp"], destination: "session" })).toBe(true);
  expect(accepts({ type: "removeDirectories", directories: [1], destination: "session" })).toBe(false);
});

test("[ATP-MSG-017] a kind of tomorrow is kept whole, and so are unknown fields of a known kind", () => {
  const unknown = { type: "addHosts", hosts: ["example.org"], destination: "session" };
  expect(PermissionUpdate.parse(unknown)).toEqual(unknown);
  expect(knownPermissionUpdate(PermissionUpdate.parse(unknown))).toBeUndefined();

  const known = { type: "setMode", mode: "plan", destination: "session", until: "noon" };
  expect(PermissionUpdate.parse(known)).toEqual(known);
  expect(knownPermissionUpdate(PermissionUpdate.parse(known))).toEqual(known);
});

test("[ATP-MSG-017] a known kind that is malformed does not pass as a kind of tomorrow", () => {
  for (const type of permissionUpdateKinds) {
    expect(accepts({ type })).toBe(false);
    expect(acceptsAsJsonSchema({ type })).toBe(false);
  }
});

test("zod and the published JSON Schema give the same verdict on any update", () => {
  const type = fc.oneof(
    fc.constantFrom(...permissionUpdateKinds, "addHosts", "", "__proto__", "toString"),
    fc.jsonValue(),
  );
  const field = <T>(sound: fc.Arbitrary<T>) => fc.oneof({ weight: 4, arbitrary: sound }, fc.jsonValue());
  const rule = fc.record(
    { toolName: field(fc.string()), ruleContent: field(fc.string()), extra: fc.jsonValue() },
    { requiredKeys: [] },
  );
  const update = fc.record(
    {
      type,
      directories: field(fc.array(field(fc.string()), { maxLength: 3 })),
      mode: field(fc.string()),
      rules: field(fc.array(rule, { maxLength: 3 })),
      behavior: field(fc.string()),
      destination: field(fc.string()),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: update }, fc.jsonValue()), (candidate) => {
      const plain: unknown = JSON.parse(JSON.stringify(candidate));
      expect(accepts(plain)).toBe(acceptsAsJsonSchema(plain));
    }),
    { numRuns: 2000 },
  );
});

test("an update never reaches the prototype", () => {
  const hostile: unknown = JSON.parse('{"type":"addHosts","__proto__":{"polluted":true}}');
  const update = PermissionUpdate.parse(hostile);
  expect("polluted" in update).toBe(false);
  expect("polluted" in {}).toBe(false);
});
