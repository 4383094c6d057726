import { expect, test } from "vitest";
import { commands, hooked, never } from "../../test/hooked.ts";
import { createQueue, textBlocks } from "../queue.ts";
import { personHooks } from "./person-hooks.ts";

/** A person's session with these hooks, and what waits for the model in it. */
function session(hooks: Readonly<Record<string, unknown>>) {
  let ids = 0;
  const queue = createQueue({ newId: () => `q${ids++}` });
  const shown: string[] = [];
  const person = personHooks({ hooks: hooked(hooks), queue, show: (message) => void shown.push(message) });
  const waiting = () =>
    queue
      .waiting()
      .map(({ mode, origin, content }) => [mode, "event" in origin ? origin.event : origin.kind, content[0]?.["text"]]);
  return { person, waiting, shown, say: (text: string) => person.said(text, textBlocks(text), never) };
}

test("what SessionStart says waits for the first words, comes behind them, and comes once", async () => {
  const { person, waiting, say } = session({ SessionStart: commands("echo branch main", "echo two tests are red") });
  await person.began("startup", never);
  person.flush();
  expect(waiting()).toEqual([]);
  await say("go");
  const heard = [
    ["prompt", "human", "go"],
    ["prompt", "SessionStart", "branch main"],
    ["prompt", "SessionStart", "two tests are red"],
  ];
  for (const _ of ["once", "twice"]) {
    person.flush();
    expect(waiting()).toEqual(heard);
  }
});

test("mail is words as well: what was kept is heard with it", async () => {
  const { person, waiting } = session({ SessionStart: commands("echo branch main") });
  await person.began("resume", never);
  person.flush(false);
  expect(waiting()).toEqual([]);
  person.flush(true);
  expect(waiting()).toEqual([["prompt", "SessionStart", "branch main"]]);
});

test("a note is the person's, and comes with the next words", async () => {
  const { person, waiting, say } = session({});
  person.note("the command said so");
  person.flush();
  expect(waiting()).toEqual([]);
  await say("and now?");
  person.flush();
  expect(waiting()).toEqual([
    ["prompt", "human", "and now?"],
    ["prompt", "human", "the command said so"],
  ]);
});

test.each([
  ["blocks it", "echo 'not on Sundays' >&2; exit 2"],
  ["stops the agent", `echo '{"continue":false,"stopReason":"not on Sundays"}'`],
])("a prompt is refused with the reason of the hook that %s, and nothing of it is heard", async (_, command) => {
  const { waiting, say } = session({ UserPromptSubmit: commands(command, "echo more") });
  expect(await say("go")).toBe("not on Sundays");
  expect(waiting()).toEqual([]);
});

test("hooks see what was typed, and the model hears what it was made into and what they add", async () => {
  const { person, waiting } = session({
    UserPromptSubmit: commands(`grep -o '"prompt":"[^"]*"'`),
  });
  expect(await person.said("/greet", textBlocks("Greet the moon."), never)).toBeUndefined();
  expect(waiting()).toEqual([
    ["prompt", "human", "Greet the moon."],
    ["prompt", "UserPromptSubmit", '"prompt":"/greet"'],
  ]);
});

test("what goes wrong with such a hook is shown to the person, and keeps nothing from being heard", async () => {
  const { waiting, shown, say } = session({ UserPromptSubmit: commands("echo broken >&2; exit 1") });
  expect(await say("go")).toBeUndefined();
  expect(waiting()).toHaveLength(1);
  expect(shown).toEqual([expect.stringContaining("broken")]);
});
