import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { toolUse, words } from "../../test/entries.ts";
import { gone, isAlive } from "../../test/hooked.ts";
import { type Cast, done, opened, settled, stage, talkIn, turn, type Wishes } from "../../test/sessions.ts";
import type { FrozenRequest } from "../model/frozen.ts";

const free = { mode: "bypassPermissions", isBypassAvailable: true } as const;
const agent = (id: string, prompt: string, more: object = {}) =>
  toolUse(id, "Agent", { description: prompt, prompt, run_in_background: false, ...more });
const shell = (id: string, name: string) =>
  toolUse(id, "Bash", { command: `echo $$ > ${name}.new; mv ${name}.new ${name}; sleep 100`, run_in_background: true });
const output = (id: string, task_id = "none", block = false) => toolUse(id, "TaskOutput", { task_id, block });

/** The id of the background task that the agent was told last. */
const taskIn = ({ messages }: FrozenRequest, begin: string) =>
  [...JSON.stringify(messages).matchAll(new RegExp(`\\b${begin}[0-9a-f]{16}\\b`, "g"))].at(-1)?.[0];

async function pidOf(path: string): Promise<number> {
  await untilSeen(`the file ${path}`, () => existsSync(path));
  return Number(readFileSync(path, "utf8"));
}

const played = async (cast: Cast, over: Wishes = {}) => {
  const scene = stage(cast, { ...free, ...over });
  const session = opened(scene.deps);
  return { ...scene, session, ...(await turn(session, "go")) };
};

test("shells in the background end with their session, and nobody is told", async () => {
  const { session, cwd } = await played({ "": [[shell("t1", "main")], done] });
  const pid = await pidOf(join(cwd, "main"));
  expect(isAlive(pid)).toBe(true);
  await session.close();
  await gone(pid);
  await new Promise(setImmediate);
  expect(session.queue.waiting()).toEqual([]);
});

test("those of an agent end with the agent", async () => {
  const scene = stage(
    {
      "": [[agent("t1", "task one")], done],
      "task one": (_, nth) =>
        nth === 0
          ? [shell("u1", "agents")]
          : nth === 1
            ? [toolUse("u2", "Bash", { command: "while [ ! -e agents ]; do sleep 0.01; done" })]
            : done,
    },
    free,
  );
  const session = opened(scene.deps);
  await turn(session, "go");
  await settled(session);
  await gone(await pidOf(join(scene.cwd, "agents")));
});

test("TaskOutput finds shells and agents of one's own, and of nobody else", async () => {
  let shared = "";
  const { talk, requestsOf } = await played({
    "": (request, nth) => {
      if (nth === 0) return [shell("t1", "main"), agent("t2", "task one", { run_in_background: true })];
      if (nth === 1) {
        shared = taskIn(request, "b") ?? "";
        return [output("t3", shared), output("t4", taskIn(request, "a"), true)];
      }
      return nth === 2 ? [agent("t5", "task two")] : done;
    },
    "task one": [[words("A report.")]],
    "task two": (_, nth) => (nth === 0 ? [output("u1", shared)] : done),
  });
  expect(talk[4]).toMatch(/<task_type>local_bash<.*<status>running<.*<task_type>local_agent<.*A report\./);
  expect(JSON.stringify(requestsOf("task two")[1]?.messages)).toContain(`There is no task ${shared}`);
});

const read = (id: string) => toolUse(id, "Read", { file_path: "a.txt" });
const edit = (id: string) => toolUse(id, "Edit", { file_path: "a.txt", old_string: "one", new_string: "two" });
const changed = "has changed since it was read";

test("what was read is recalled when a session is opened and not at every turn: another's change is not overwritten", async () => {
  const scene = stage({ "": [[read("t1")], done, [edit("t2")], done] }, free);
  const file = join(scene.cwd, "a.txt");
  writeFileSync(file, "one\n");
  const session = opened(scene.deps);
  await turn(session, "go");
  // A conversation shows the same of both.
  writeFileSync(file, "one\r\n");
  expect((await turn(session, "go on")).talk[6]).toContain(changed);
  expect(readFileSync(file, "utf8")).toBe("one\r\n");
});

test("a fork has what was read from its parent, and recalls nothing anew", async () => {
  const gates = { isForkEnabled: true, isInteractive: true };
  const scene = stage(
    {
      "": (_, nth) =>
        [[read("t1")], done, [toolUse("t2", "Agent", { description: "d", prompt: "split it" })], done][nth] ?? done,
      "directive: split it": [[edit("u1")], done],
    },
    { ...free, gates },
  );
  const file = join(scene.cwd, "a.txt");
  writeFileSync(file, "one\n");
  const session = opened(scene.deps);
  await turn(session, "go");
  writeFileSync(file, "one\r\n");
  await turn(session, "split");
  await settled(session);
  expect(JSON.stringify(scene.requestsOf("directive: split it")[1]?.messages)).toContain(changed);
  expect(readFileSync(file, "utf8")).toBe("one\r\n");
  expect(talkIn(session).join()).not.toContain(changed);
});
