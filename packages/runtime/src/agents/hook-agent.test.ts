import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { done, opened, stage, turn } from "../../test/sessions.ts";

const hooks = { Stop: [{ hooks: [{ type: "agent", prompt: "Are all files there?" }] }] };

test("[HOOK-11] a hook of the type agent starts an agent that looks for itself, and whose verdict holds", async () => {
  const { deps, cwd, asked, requestsOf, trust } = stage(
    {
      "Are all files there?": [
        [toolUse("u1", "Glob", { pattern: "*.txt" })],
        [words('{"ok": false, "reason": "a.txt is missing"}')],
        [words('{"ok": true}')],
      ],
      "": (_, nth) => (nth === 1 ? [toolUse("t1", "Write", { file_path: join(cwd, "a.txt"), content: "a" })] : done),
    },
    { settings: { hooks }, mode: "acceptEdits" },
  );
  trust();
  const session = opened(deps);
  const { terminal, talk } = await turn(session, "go");
  expect(terminal).toMatchObject({ isOk: true, text: "done" });
  expect(talk[2]).toContain("a.txt is missing");
  expect(existsSync(join(cwd, "a.txt"))).toBe(true);
  expect(asked).toEqual([]);
  expect(requestsOf("Are all files there?")).toHaveLength(3);
  expect(session.jobs.all()).toEqual([]);
});

test("[HOOK-11] such an agent asks nobody, writes nothing, and does not fire the hooks that started it", async () => {
  const { deps, cwd, asked, trust, requestsOf } = stage(
    {
      "Are all files there?": (_, nth) =>
        nth === 0 ? [toolUse("u1", "Bash", { command: "touch b.txt" })] : [words('{"ok": true}')],
      "": [done],
    },
    { settings: { hooks } },
  );
  trust();
  expect((await turn(opened(deps), "go")).terminal).toMatchObject({ isOk: true });
  expect([asked, existsSync(join(cwd, "b.txt"))]).toEqual([[], false]);
  expect(requestsOf("Are all files there?")).toHaveLength(2);
});
