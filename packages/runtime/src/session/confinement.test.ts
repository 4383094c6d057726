import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { done, opened, stage, turn } from "../../test/sessions.ts";
import type { Confinement } from "../confinement/confinement.ts";

/**
 * A confinement that keeps nothing out, and says at the head of every output where the command
 * could write.
 */
const telling: Confinement = {
  name: "telling",
  endsAll: false,
  confined: (start, { writable }) => ({
    ...start,
    program: "/bin/sh",
    args: ["-c", 'echo "confined to [$0]"; exec "$@"', writable.join(), start.program, ...start.args],
  }),
  faultIn: () => undefined,
};

/** The model's view of one command. */
async function toldOf(command: string, over: Parameters<typeof stage>[1] = {}): Promise<string> {
  const { deps, trust } = stage(
    { "": [[toolUse("t1", "Bash", { command })], done] },
    { confinement: telling, ...over },
  );
  trust();
  return (await turn(opened(deps), "go")).talk[2] ?? "";
}

test("a command that passes as a reader is confined, and none that a rule, a person or the mode lets run", async () => {
  const allow = (text: string) => ({ settings: { permissions: { allow: [text] } } });
  expect(await toldOf("echo one")).toContain("confined to []\\none");
  expect(await toldOf("echo one", allow("Bash(echo:*)"))).not.toContain("confined");
  expect(await toldOf("sh -c 'echo one'", { ask: async () => ({ behavior: "allow" }) })).toMatch(/"one"/);
  const bypass = { mode: "bypassPermissions", isBypassAvailable: true } as const;
  expect(await toldOf("echo one", bypass)).toMatch(/"one"/);
});

test("with edits accepted a command that edits may write in the project, and one that reads may not", async () => {
  expect(await toldOf("cat nothing", { mode: "acceptEdits" })).toContain("confined to []");
  expect(await toldOf("touch made", { mode: "acceptEdits" })).toMatch(/confined to \[[^\]]+\/project\b/);
});

test("a session that is given no confinement runs commands as ever", async () => {
  expect(await toldOf("echo one", { confinement: undefined })).toMatch(/"one"/);
});

test("the agents of a session are confined as it is", async () => {
  const inside = [toolUse("u1", "Bash", { command: "echo inside" })];
  const { deps, requestsOf } = stage(
    {
      "look around": [inside, [words("seen")]],
      "": [
        [toolUse("t1", "Agent", { description: "look", prompt: "look around", subagent_type: "general-purpose" })],
        done,
      ],
    },
    { confinement: telling },
  );
  await turn(opened(deps), "go");
  expect(JSON.stringify(requestsOf("look around").at(-1)?.messages)).toContain("confined to []");
});
