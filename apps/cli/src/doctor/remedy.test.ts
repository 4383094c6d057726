import type { Finding } from "@troupe/store/files";
import { expect, test } from "vitest";
import { remedyOf } from "./remedy.ts";

const finding = (more: Partial<Finding>): Finding => ({
  kind: "document_faulty",
  path: "teams/t/config.json",
  message: "",
  fix: "make /name a string",
  isMendable: false,
  isNote: false,
  ...more,
});

test.each([
  [{ kind: "lock_stale", isMendable: true }, "troupe doctor --fix --root '/a b'"],
  [{ kind: "member_gone", isNote: true }, "troupe team delete t --force --root '/a b'"],
  [{ kind: "document_corrupt" }, "mv -n '/a b/teams/t/config.json' '/a b/teams/t/config.json.aside'"],
  [{ kind: "directory_unusable", path: "tasks/it's" }, "mv -n '/a b/tasks/it'\\''s' '/a b/tasks/it'\\''s.aside'"],
] as const)("for %j there is a command to paste", (more, command) => {
  expect(remedyOf(finding(more), "/a b")).toEqual({ command });
});

test("a problem that no command can fix has one sentence that says so, as has a name that cannot be typed", () => {
  expect(remedyOf(finding({}), "/r")).toEqual({
    why: "only its writer knows what it should say: make /name a string in teams/t/config.json",
  });
  expect(remedyOf(finding({ kind: "document_corrupt", path: "tasks/a\u001bb" }), "/r")).toHaveProperty("why");
});
