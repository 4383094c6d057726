import { expect, test } from "vitest";
import { clientOf } from "./client.ts";

test.each([
  ["claude-code@2.1.41", "2026-02", "2026-02"],
  ["claude-code@2.1.146", "2026-02", "2026-02"],
  ["claude-code@2.1.147", "2026-02", "between"],
  ["claude-code@2.1.177", "2026-02", "between"],
  ["claude-code@2.1.178", "2026-11", "2026-11"],
  ["claude-code@2.1.1000", "2026-11", "2026-11"],
  ["codebuddy@0.3.201", "2026-02", "2026-02"],
])("%s follows %s, and its files %s", (word, revision, form) => {
  expect(clientOf(word)).toMatchObject({ revision, form });
});

test.each(["claude-code", "claude-code@latest", "emacs@30.1.0", "@2.1.41"])(
  "%s is no client, and it is said what is",
  (word) => {
    expect(() => clientOf(word)).toThrow(/write claude-code or codebuddy, @ and a version/);
  },
);
