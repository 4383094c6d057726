import type { CallQuestion } from "@troupe/team";
import { expect, test } from "vitest";
import { decideCalls } from "./decide.ts";

test("the lead is asked about a tool by the name that the reference client has for it, else by its own, else by its title", async () => {
  const asked: CallQuestion[] = [];
  const decide = decideCalls({
    membership: {
      ask: async (question) => {
        asked.push(question);
        return { behavior: "deny", message: "" };
      },
      handIn: async () => "id",
    } as Parameters<typeof decideCalls>[0]["membership"],
    granted: () => undefined,
    mode: "default",
    planModeRequired: false,
    askMs: 1_000,
    newId: () => "id",
  });
  const call = { id: "c", title: "a title", input: {} };
  const over = new AbortController().signal;
  for (const more of [{ kind: "execute", tool: "shell" }, { kind: "other", tool: "send" }, { kind: "other" }])
    expect(await decide({ ...call, ...more }, over)).toBe("deny");
  expect(asked.map(({ tool, reason }) => [tool, reason])).toEqual([
    ["Bash", "a title"],
    ["send", "a title"],
    ["a title", "a title"],
  ]);
});
