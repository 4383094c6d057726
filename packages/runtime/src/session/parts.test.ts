import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openFileStore } from "@troupe/store/files";
import type { CallQuestion, Reply } from "@troupe/team";
import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { server } from "../../test/served.ts";
import { changed, done, opened, stage, turn } from "../../test/sessions.ts";
import { openMcp } from "../mcp/mcp.ts";
import { planFileOf } from "../tools/plan-mode.ts";

const task = (id: string, prompt: string) => toolUse(id, "Agent", { description: prompt, prompt });
const hook = (command: string, more: object = {}) => [{ hooks: [{ type: "command", command, ...more }] }];

test("questions of agents that work at the same time come to the person one by one, and what an answer settles is not asked", async () => {
  let open = 0;
  const asked: (string | undefined)[] = [];
  const { deps, cwd } = stage(
    {
      "": [[task("t1", "task one"), task("t2", "task two"), task("t3", "task three")], done],
      "task one": (_, nth) => (nth === 0 ? [toolUse("u", "Write", { file_path: join(cwd, "1"), content: "1" })] : done),
      "task two": (_, nth) => (nth === 0 ? [toolUse("u", "Write", { file_path: join(cwd, "2"), content: "2" })] : done),
      "task three": (_, nth) => (nth === 0 ? [toolUse("u", "Bash", { command: "touch 3" })] : done),
    },
    {
      ask: async ({ tool }) => {
        expect(open++).toBe(0);
        await new Promise(setImmediate);
        open--;
        asked.push(tool);
        const rules = [{ toolName: "Write" }];
        return { behavior: "allow", updates: [{ type: "addRules", rules, behavior: "allow", destination: "session" }] };
      },
    },
  );
  await turn(opened(deps), "go");
  expect(asked.sort()).toEqual(["Bash", "Write"]);
  expect(["1", "2", "3"].map((name) => existsSync(join(cwd, name)))).toEqual([true, true, true]);
});

test("the environment of the settings is that of shells and hooks", async () => {
  const { deps, cwd, trust } = stage(
    { "": [[toolUse("t1", "Bash", { command: "printf $COLOUR > shell" })], done] },
    {
      settings: { env: { COLOUR: "green" }, hooks: { PostToolUse: hook("printf $COLOUR > hook") } },
      mode: "bypassPermissions",
      isBypassAvailable: true,
    },
  );
  trust();
  await turn(opened(changed(deps, { environment: { ...deps.machine.environment, COLOUR: "red" } })), "go");
  expect(["shell", "hook"].map((name) => readFileSync(join(cwd, name), "utf8"))).toEqual(["green", "green"]);
});

test("the tools of the configured servers are the model's, and hooks of the type mcp_tool can call them", async () => {
  const { deps, requests, asked, trust } = stage(
    {
      "": [[toolUse("t1", "mcp__box__echo", { words: "hello" }), toolUse("t2", "mcp__box__environment")], done],
    },
    {
      settings: {
        env: { COLOUR: "green" },
        mcpServers: { box: server() },
        permissions: { allow: ["mcp__box"] },
        hooks: {
          PostToolUse: [
            {
              hooks: [
                {
                  type: "mcp_tool",
                  server: "box",
                  tool: "echo",
                  input: { words: '{"decision":"block","reason":"said $' + '{tool_input.words}"}' },
                },
              ],
            },
          ],
        },
      },
      openMcp,
    },
  );
  trust();
  const { talk } = await turn(opened(deps), "go");
  expect(requests[0]?.tools.some((tool) => tool.includes('"mcp__box__echo"'))).toBe(true);
  expect(talk[2]).toMatch(/hello.*said hello.*COLOUR[\\":]+green/);
  expect(asked).toEqual([]);
});

test("a hook with a rule runs for the calls that the rule speaks of", async () => {
  const { deps, cwd, trust } = stage(
    {
      "": [
        [toolUse("t1", "Bash", { command: "true" }), toolUse("t2", "Bash", { command: "cd . && git status" })],
        done,
      ],
    },
    {
      settings: { hooks: { PreToolUse: hook("cat >> seen.ndjson; echo >> seen.ndjson", { if: "Bash(git:*)" }) } },
      mode: "bypassPermissions",
      isBypassAvailable: true,
    },
  );
  trust();
  await turn(opened(deps), "go");
  const seen = readFileSync(join(cwd, "seen.ndjson"), "utf8").trim().split("\n");
  expect(seen.map((line) => JSON.parse(line).tool_input.command)).toEqual(["cd . && git status"]);
});

test("hooks hear of a summary before and after it, and can forbid it", async () => {
  const log = (event: string) => ({ [event]: hook(`cat >> ${event}; echo >> ${event}`) });
  const scene = (hooks: object) => {
    const made = stage(
      {
        "": (request) =>
          request.messages.at(-1)?.blocks.some((block) => block.includes("summary"))
            ? [words("<summary>All went well.</summary>")]
            : done,
      },
      { settings: { hooks }, limits: { compactAt: 1 } },
    );
    made.trust();
    return made;
  };
  const first = scene({ ...log("PreCompact"), ...log("PostCompact") });
  const session = opened(first.deps);
  await turn(session, "go");
  await turn(session, "go on");
  const read = (name: string) => JSON.parse(readFileSync(join(first.cwd, name), "utf8").split("\n")[0] ?? "");
  expect(read("PreCompact")).toMatchObject({ hook_event_name: "PreCompact", trigger: "auto" });
  expect(read("PostCompact")).toMatchObject({ compact_summary: expect.stringContaining("All went well.") });
  const second = scene({ PreCompact: hook("echo no >&2; exit 2"), ...log("PostCompact") });
  const other = opened(second.deps);
  await turn(other, "go");
  expect((await turn(other, "go on")).terminal).toMatchObject({ isOk: true });
  expect(existsSync(join(second.cwd, "PostCompact"))).toBe(false);
});

test("a session that goes on in another process may change what it had read, if nobody else has changed it", async () => {
  const { deps, cwd } = stage(
    {
      "": (_, nth) =>
        [
          [toolUse("t1", "Read", { file_path: "a.txt" }), toolUse("t2", "Read", { file_path: "b.txt" })],
          done,
          [
            toolUse("t3", "Edit", { file_path: "a.txt", old_string: "one", new_string: "two" }),
            toolUse("t4", "Edit", { file_path: "b.txt", old_string: "one", new_string: "two" }),
          ],
          done,
        ][nth] ?? done,
    },
    { mode: "acceptEdits", sessionId: "s1" },
  );
  for (const name of ["a.txt", "b.txt"]) writeFileSync(join(cwd, name), "one\n");
  const first = opened(deps);
  await turn(first, "go");
  await first.close();
  writeFileSync(join(cwd, "b.txt"), "one, but another\n");
  const { talk } = await turn(opened(deps), "go on");
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("two\n");
  expect(talk[6]).toMatch(/b\.txt has not been read yet/);
});

test("a question that a rule denies by the time it would be shown is not asked, and the rule is the answer", async () => {
  const { deps, cwd, requestsOf } = stage(
    {
      "": [[task("t1", "task one"), task("t2", "task two")], done],
      ...Object.fromEntries(
        ["task one", "task two"].map((name) => [
          name,
          [[toolUse("u", "Write", { file_path: `${name}.txt`, content: "x" })], done],
        ]),
      ),
    },
    {
      ask: async ({ tool }) => {
        asked.push(tool);
        const rules = [{ toolName: "Write" }];
        return { behavior: "allow", updates: [{ type: "addRules", rules, behavior: "deny", destination: "session" }] };
      },
    },
  );
  const asked: string[] = [];
  await turn(opened(deps), "go");
  expect(asked).toEqual(["Write"]);
  expect(["task one", "task two"].filter((name) => existsSync(join(cwd, `${name}.txt`)))).toEqual([]);
  const told = ["task one", "task two"].map((name) => JSON.stringify(requestsOf(name)[1]?.messages));
  for (const one of told) expect(one).toMatch(/Write was not run: denied by the rule Write/);
});

test("a person approves the plan of a session, and without a place for plans there is none to make", async () => {
  const replies: Reply[] = [
    { behavior: "deny", message: "sand it first" },
    { behavior: "allow", updates: [{ type: "setMode", mode: "acceptEdits", destination: "session" }] },
  ];
  const asked: CallQuestion[] = [];
  const exit = (id: string) => [toolUse(id, "ExitPlanMode")];
  const scene = stage(
    {
      "": (_, nth) =>
        [[toolUse("t1", "Write", { file_path: path, content: "paint it" })], exit("t2"), exit("t3")][nth] ?? done,
    },
    {
      mode: "plan",
      sessionId: "s1",
      ask: async (question) => {
        asked.push(question);
        return replies.shift() as Reply;
      },
    },
  );
  const store = openFileStore({ root: scene.deps.machine.root });
  const { path } = planFileOf("s1", { root: scene.deps.machine.root, store });
  const session = opened({ ...scene.deps, store });
  const { talk } = await turn(session, "go");
  expect(asked).toMatchObject(Array(2).fill({ tool: "ExitPlanMode", input: { plan: "paint it" } }));
  expect(talk[4]).toMatch(/The plan was not approved: sand it first/);
  expect(session.permissions.mode()).toBe("acceptEdits");
  const without = stage({ "": [done] });
  await turn(opened(without.deps), "go");
  const planning = [scene, without].map(({ requests }) =>
    requests[0]?.tools.filter((one) => /"(Enter|Exit)PlanMode"/.test(one)),
  );
  expect(planning.map((found) => found?.length)).toEqual([2, 0]);
});
