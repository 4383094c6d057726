import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { changed, done, opened, stage, turn } from "../../test/sessions.ts";

const thought = { type: "thinking", thinking: "Hm.", signature: "s" };
const modelsOf = (requests: readonly { readonly key: { readonly model: string } }[]) =>
  requests.map(({ key }) => key.model);

test("from its next request on another model has the conversation, without what the one before it thought, and so have the agents it starts", async () => {
  const task = toolUse("t1", "Agent", { description: "look", prompt: "task one", subagent_type: "general-purpose" });
  const { deps, requests } = stage({
    "": [[thought, words("One.")], [task], done],
    "task one": [done],
  });
  const session = opened(deps);
  await turn(session, "first");
  expect([session.model(), session.switchModel("opus"), session.model()]).toEqual([
    "m",
    "claude-opus-5-5",
    "claude-opus-5-5",
  ]);
  await turn(session, "second");
  expect(modelsOf(requests)).toEqual(["m", ...Array.from({ length: 3 }, () => "claude-opus-5-5")]);
  const [first, second] = requests;
  expect(second?.messages.map(({ role, blocks }) => [role, blocks.join()])).toEqual([
    ["user", expect.stringContaining("first")],
    ["assistant", JSON.stringify(words("One."))],
    ["user", expect.stringContaining("second")],
  ]);
  expect([second?.tools, second?.system]).toEqual([first?.tools, first?.system]);
});

test("a session that is resumed goes on with the model that it had, or with the one that is asked for", async () => {
  const { deps, requests } = stage({ "": [done, done, done, done] });
  const first = opened(deps);
  await turn(first, "one");
  first.switchModel("haiku");
  await turn(first, "two");
  await first.close();
  const second = opened({ ...deps, sessionId: first.id });
  expect(second.model()).toBe("claude-haiku-5-5");
  await turn(second, "three");
  await second.close();
  const third = opened({ ...changed(deps, {}), options: { model: "opus" }, sessionId: first.id });
  await turn(third, "four");
  expect(modelsOf(requests)).toEqual(["m", "claude-haiku-5-5", "claude-haiku-5-5", "claude-opus-5-5"]);
});
