import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { done, opened, type StageDeps, settled, stage, turn, type Wishes } from "../../test/sessions.ts";

const task = (id: string, input: object = {}) =>
  toolUse(id, "Agent", { description: "look around", prompt: "task one", run_in_background: false, ...input });
const fork = (prompt: string, input: object = {}) => task("f1", { subagent_type: "fork", prompt, ...input });
const write = (id: string, file_path: string) => toolUse(id, "Write", { file_path, content: "x" });
const first = (...lines: (typeof done)[]) => [...lines, done];

describe("where it works", () => {
  const gates = { isCwdEnabled: true, agentMode: "acceptEdits" } as const;

  test("an agent works in the directory that the call names, which is meant from its caller's, and is told so", async () => {
    const { deps, cwd, requestsOf } = stage(
      {
        "": first([task("t1", { cwd: "sub" })]),
        "task one": first([write("u1", "a.txt"), task("u2", { cwd: "deep", prompt: "task two" })]),
        "task two": first([write("v1", "b.txt")]),
      },
      { gates, revision: "2026-11" },
    );
    mkdirSync(join(cwd, "sub/deep"), { recursive: true });
    await turn(opened(deps), "go");
    expect([existsSync(join(cwd, "sub/a.txt")), existsSync(join(cwd, "sub/deep/b.txt"))]).toEqual([true, true]);
    expect(requestsOf("task one")[0]?.system.join()).toContain(join(cwd, "sub"));
  });

  test("a fork works in the directory that the call names", async () => {
    const { deps, cwd } = stage(
      { "": first([fork("split one", { cwd: "sub" })]), "split one": first([write("u1", "a.txt")]) },
      { gates, mode: "acceptEdits" },
    );
    mkdirSync(join(cwd, "sub"));
    const session = opened(deps);
    await turn(session, "go");
    await settled(session);
    expect([existsSync(join(cwd, "sub/a.txt")), existsSync(join(cwd, "a.txt"))]).toEqual([true, false]);
  });

  test.each(["..", "/", "missing"])(
    "no agent is started in %s: outside of its caller's directories, or not there",
    async (place) => {
      const { deps, requestsOf } = stage(
        { "": first([task("t1", { cwd: place })]), "task one": [done] },
        { gates, mode: "bypassPermissions", isBypassAvailable: true },
      );
      expect((await turn(opened(deps), "go")).talk[2]).toMatch(/is no directory that you work in/);
      expect(requestsOf("task one")).toEqual([]);
    },
  );

  test("[ROUTE-14] a directory in a call counts only where calls may name one", async () => {
    const { deps, cwd } = stage(
      { "": first([task("t1", { cwd: "sub" })]), "task one": first([write("u1", "a.txt")]) },
      { gates: { agentMode: "acceptEdits" } },
    );
    mkdirSync(join(cwd, "sub"));
    await turn(opened(deps), "go");
    expect(existsSync(join(cwd, "a.txt"))).toBe(true);
  });
});

describe("what it has read", () => {
  const edit = toolUse("e1", "Edit", { file_path: "a.txt", old_string: "a", new_string: "b" });
  const read = toolUse("r1", "Read", { file_path: "a.txt" });

  test.each([
    ["an agent", {}],
    ["a fork", { subagent_type: "fork" }],
  ])("what %s has read its parent has not, and may not change", async (_, input) => {
    const { deps, cwd, requests } = stage(
      { "": [[task("t1", { prompt: "split one", ...input })], done, [edit], done], "split one": first([read]) },
      { mode: "acceptEdits" },
    );
    writeFileSync(join(cwd, "a.txt"), "a\n");
    const session = opened(deps);
    await turn(session, "go");
    await settled(session);
    await turn(session, "change it");
    expect(JSON.stringify(requests.at(-1)?.messages.at(-1))).toContain("has not been read yet");
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("a\n");
  });

  test("a fork may change what its parent has read", async () => {
    const { deps, cwd } = stage(
      { "": first([read], [fork("split one")]), "split one": first([edit]) },
      { mode: "acceptEdits" },
    );
    writeFileSync(join(cwd, "a.txt"), "a\n");
    const session = opened(deps);
    await turn(session, "go");
    await settled(session);
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("b\n");
  });
});

describe("whom it asks", () => {
  const denied = { behavior: "deny", message: "stop it", interrupt: true } as const;

  test("who denies a call and interrupts ends the agent that asked, and nobody else", async () => {
    const { deps, cwd, requestsOf } = stage(
      {
        "": first([task("t1"), task("t2", { prompt: "task two" })]),
        "task one": (_, nth) => (nth === 0 ? [write("u1", join(cwd, "a.txt"))] : done),
        "task two": first([toolUse("v1", "Glob", { pattern: "*" })]),
      },
      { ask: async () => denied },
    );
    const session = opened(deps);
    const { terminal } = await turn(session, "go");
    expect(session.jobs.all().map((job) => job.status())).toEqual(["killed", "completed"]);
    expect(requestsOf("task one")).toHaveLength(1);
    expect(terminal).toMatchObject({ isOk: true, text: "done" });
  });

  test("[PERM-21] [UI-07] what an agent asks has its name and the colour of its definition", async () => {
    const { deps, define, asked } = stage({
      "": first([task("t1", { subagent_type: "painter" }), task("t2", { prompt: "task two", name: "ann" })]),
      "task one": first([write("u1", "a.txt")]),
      "task two": first([write("v1", "b.txt")]),
    });
    define("painter", { color: "blue" });
    await turn(opened(deps), "go");
    expect(asked.map(({ from }) => from)).toEqual(
      expect.arrayContaining([{ name: "painter", color: "blue" }, { name: "ann" }]),
    );
  });
});

describe("what it thinks with", () => {
  const keysOf = async (over: Wishes, frontMatter: object, input: object) => {
    const { deps, define, requestsOf } = stage(
      { "": first([task("t1", { subagent_type: "thinker", ...input })]), "task one": [done] },
      { key: { model: "parents", effort: "low", betas: ["b"] }, ...over },
    );
    define("thinker", frontMatter);
    await turn(opened(deps), "go");
    return requestsOf("task one")[0]?.key;
  };
  const own = { model: "claude-own-1", effort: "medium" };

  test.each([
    ["the call's, which goes before the definition's", own, { model: "opus", effort: "high" }, "an-opus", "high"],
    ["the definition's, which goes before its caller's", own, {}, "claude-own-1", "medium"],
    ["its caller's, where nobody says another", {}, {}, "parents", "low"],
  ])("[ROUTE-17] model and effort of an agent are %s", async (_, frontMatter, input, model, effort) => {
    const modelOverrides = { ANTHROPIC_DEFAULT_OPUS_MODEL: "an-opus" };
    expect(await keysOf({ revision: "2026-11", modelOverrides }, frontMatter, input)).toEqual({
      model,
      effort,
      betas: ["b"],
    });
  });

  test("the environment can say the model of all agents", async () => {
    const modelOverrides = { CLAUDE_CODE_SUBAGENT_MODEL: "everybodys" };
    expect(await keysOf({ modelOverrides }, own, { model: "opus" })).toMatchObject({ model: "everybodys" });
  });

  test("an agent ends after as many turns as its definition says, and that is a report all the same", async () => {
    const { deps, define, requestsOf } = stage({
      "": first([task("t1", { subagent_type: "short" })]),
      "task one": (_, nth) => [words(`Look ${nth}.`), toolUse(`u${nth}`, "Glob", { pattern: "*" })],
    });
    define("short", { maxTurns: 2 });
    const session = opened(deps);
    const { talk } = await turn(session, "go");
    expect(requestsOf("task one")).toHaveLength(2);
    expect(session.jobs.all()[0]?.status()).toBe("completed");
    expect(talk[2]).toContain("it had used all its turns");
    expect(talk[2]).not.toContain("cut off");
  });

  test.each([
    ["2026-02", false],
    ["2026-11", true],
  ] as const)("in %s it is %s that an agent is told the project's instructions", async (revision, isTold) => {
    const { deps, cwd, requests, requestsOf } = stage({ "": first([task("t1")]), "task one": [done] }, { revision });
    writeFileSync(join(cwd, "CLAUDE.md"), "Mind the gap.\n");
    await turn(opened(deps), "go");
    expect(JSON.stringify(requests[0])).toContain("Mind the gap.");
    expect(JSON.stringify(requestsOf("task one")[0]).includes("Mind the gap.")).toBe(isTold);
  });
});

describe("its hooks", () => {
  const said = (output: object) => `cat >> told.ndjson; echo >> told.ndjson; echo '${JSON.stringify(output)}'`;
  const hooksOf = (event: string, output: object = {}) => ({
    [event]: [{ hooks: [{ type: "command", command: said(output) }] }],
  });
  const told = (cwd: string): object[] =>
    readFileSync(join(cwd, "told.ndjson"), "utf8")
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  const scene = (hooks: object, over: StageDeps = {}) => {
    const made = stage(
      {
        "": first([task("t1", { subagent_type: "writer" })], [write("m1", "main.txt")]),
        "task one": first([write("u1", "a.txt")]),
      },
      over,
    );
    made.define("writer", { hooks, permissionMode: "acceptEdits" });
    made.trust();
    return made;
  };

  test("hooks are told the mode that their agent works in, and who it is", async () => {
    const { deps, cwd } = scene(
      {},
      { settings: { hooks: hooksOf("PreToolUse") }, gates: { agentMode: "acceptEdits" } },
    );
    await turn(opened(deps), "go");
    expect(told(cwd)).toMatchObject([
      { tool_name: "Agent", permission_mode: "default" },
      { tool_name: "Write", permission_mode: "acceptEdits", agent_type: "writer", agent_id: expect.any(String) },
      { tool_name: "Write", permission_mode: "default" },
    ]);
    expect(told(cwd)[2]).not.toHaveProperty("agent_id");
  });

  const bash = [toolUse("u1", "Bash", { command: "touch a.txt" })];
  const shells = (hooks: object) => {
    const made = stage(
      {
        "": first([task("t1", { subagent_type: "writer" })], [toolUse("m1", "Bash", { command: "touch main.txt" })]),
        "task one": first(bash),
      },
      // Definitions of 2026-02 have three events only.
      { revision: "2026-11" },
    );
    made.define("writer", { hooks });
    made.trust();
    return made;
  };

  test("[HOOK-06] a definition's hooks of PermissionRequest answer for its agent, and for nobody else", async () => {
    const decision = { behavior: "allow" };
    const output = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
    const { deps, cwd, asked } = shells(hooksOf("PermissionRequest", output));
    await turn(opened(deps), "go");
    expect(told(cwd)).toMatchObject([{ tool_name: "Bash", agent_type: "writer", agent_id: expect.any(String) }]);
    expect(asked).toMatchObject([{ call: "m1" }]);
    expect([existsSync(join(cwd, "a.txt")), existsSync(join(cwd, "main.txt"))]).toEqual([true, false]);
  });

  test.each(["PermissionRequest", "PreToolUse"])(
    "a hook of %s that wants no more ends its own agent, and its caller goes on",
    async (event) => {
      const { deps, requestsOf } = shells(hooksOf(event, { continue: false, stopReason: "that will do" }));
      const session = opened(deps);
      const { terminal } = await turn(session, "go");
      expect(session.jobs.all().map((job) => job.end())).toMatchObject([
        { status: "killed", failure: "it was stopped (hook_stopped)" },
      ]);
      expect(requestsOf("task one")).toHaveLength(1);
      expect(terminal).toMatchObject({ isOk: true, text: "done" });
    },
  );
});
