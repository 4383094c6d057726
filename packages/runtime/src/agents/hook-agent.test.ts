import { existsSync, readdirSync, readFileSync } from "node:fs";
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

test("[HOOK-11] such an agent asks nobody, writes nothing, fires no hooks itself, and has ended when its verdict is there", async () => {
  const fired = [{ hooks: [{ type: "command", command: "touch fired" }] }];
  const events = ["PreToolUse", "PostToolUse", "PermissionRequest", "SubagentStart", "SubagentStop"];
  const { deps, cwd, asked, trust, requestsOf } = stage(
    {
      "Are all files there?": (_, nth) =>
        [[toolUse("u1", "Glob", { pattern: "*" })], [toolUse("u2", "Bash", { command: "touch b.txt" })]][nth] ?? [
          words('{"ok": true}'),
        ],
      "": [done],
    },
    { settings: { hooks: { ...hooks, ...Object.fromEntries(events.map((event) => [event, fired])) } } },
  );
  trust();
  const session = opened(deps);
  expect((await turn(session, "go")).terminal).toMatchObject({ isOk: true });
  expect(requestsOf("Are all files there?")).toHaveLength(3);
  expect([asked, existsSync(join(cwd, "b.txt")), existsSync(join(cwd, "fired"))]).toEqual([[], false, false]);
  const directory = join(session.transcript.replace(/\.jsonl$/, ""), "subagents");
  const facts = readdirSync(directory).filter((name) => name.endsWith(".meta.json"));
  expect(facts.map((name) => JSON.parse(readFileSync(join(directory, name), "utf8")))).toMatchObject([
    { agentType: "hook", finished: true },
  ]);
});
