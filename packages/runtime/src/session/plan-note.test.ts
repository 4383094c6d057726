import { openFileStore } from "@troupe/store/files";
import { expect, test } from "vitest";
import { done, opened, stage, turn } from "../../test/sessions.ts";

const reminder = /The user has set plan mode: .*Write the plan to (\/\S+\/plans\/[a-z-]+\.md), then call ExitPlanMode/;

test("the model is told with the next words that the person has set plan mode, once each time, and where the plan stands", async () => {
  const { deps, requests } = stage({ "": [done, done, done, done] });
  const session = opened({ ...deps, store: openFileStore({ root: deps.machine.root }) });
  const said = async (text: string) => {
    await session.submit(text);
    await turn(session);
    return JSON.stringify(requests.at(-1)?.messages.at(-1));
  };
  expect(await said("one")).not.toMatch(reminder);
  session.permissions.setMode("plan");
  expect(await said("two")).toMatch(reminder);
  expect(await said("three")).not.toMatch(reminder);
  session.permissions.setMode("default");
  session.permissions.setMode("plan");
  expect(await said("four")).toMatch(reminder);
});
