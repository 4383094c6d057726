import { toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { add, company } from "../../test/company.ts";
import { turn } from "../../test/sessions.ts";

const begin = { description: "d", prompt: "look around" };
const sessionId = "b7f5edcc-0000-4000-8000-000000000001";

/** What the main conversation is told of these Agent calls, made one after the other. */
async function toldOf(calls: readonly ReturnType<typeof toolUse>[], wishes: Parameters<typeof company>[1] = {}) {
  const { lead } = await company(
    {
      "": (_, __, { messages }) => {
        const isMain = JSON.stringify(messages[0]).includes('"go"');
        const next = calls[messages.filter(({ role }) => role === "assistant").length];
        return isMain && next ? [next] : "Done.";
      },
    },
    wishes,
  );
  const { talk } = await turn(lead, "go");
  return talk.flatMap((said) => /route: [^"]*?model: [\w.-]+/.exec(said.replaceAll("\\n", " "))?.[0] ?? []);
}

test("each Agent result says which route was taken and why, and the model that works", async () => {
  const calls = [
    toolUse("Agent", begin),
    toolUse("Agent", { ...begin, subagent_type: "Explore", model: "haiku" }),
    toolUse("Agent", { ...begin, name: "ann" }),
    toolUse("Agent", { ...begin, run_in_background: true }),
    toolUse("TeamCreate", { team_name: "crew" }),
    add("bob", { model: "sonnet" }),
  ];
  expect(await toldOf(calls)).toEqual([
    "route: agent of the type general-purpose, in the foreground (no subagent_type was given; it is no fork, since forks are not enabled) model: claude-opus-5-5",
    expect.stringMatching(
      /^route: agent of the type Explore, in the foreground \(subagent_type is Explore\) model: claude-haiku/,
    ),
    "route: agent of the type general-purpose, in the foreground (no subagent_type was given; it is no fork, since forks are not enabled, and a name makes no teammate of it: you are in no team) model: claude-opus-5-5",
    "route: agent of the type general-purpose, in the background (no subagent_type was given; it is no fork, since forks are not enabled) model: claude-opus-5-5",
    expect.stringMatching(
      /^route: teammate in the team crew, backend in-process \(a name was given, and you lead a team\) model: claude-sonnet/,
    ),
  ]);
});

test("in 2026-11 a fork says so with its task, and a name of the session's team makes a teammate", async () => {
  const calls = [toolUse("Agent", { ...begin, subagent_type: "fork" }), add("bob")];
  const said = await toldOf(calls, { revision: "2026-11", gates: { isInteractive: true }, sessionId });
  expect([...said].sort()).toEqual([
    "route: fork, in the background (subagent_type is fork) model: claude-opus-5-5",
    "route: teammate in the team session-b7f5edcc, backend in-process (a name was given, and you lead a team) model: claude-opus-5-5",
  ]);
});
