import { expect, test } from "vitest";
import { clientOf } from "./client.ts";

test.each([
  ["claude-code@2.1.41", "2026-02"],
  ["claude-code@2.1.177", "2026-02"],
  ["claude-code@2.1.178", "2026-11"],
  ["claude-code@2.1.1000", "2026-11"],
  ["codebuddy@2.117.0", "2026-02"],
])("%s follows %s", (word, revision) => {
  expect(clientOf(word).revision).toBe(revision);
});

test.each(["claude-code", "claude-code@latest", "emacs@30.1.0", "@2.1.41"])(
  "%s is no client, and it is said what is",
  (word) => {
    expect(() => clientOf(word)).toThrow(/write claude-code or codebuddy, @ and a version/);
  },
);
