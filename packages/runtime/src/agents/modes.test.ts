import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolUse } from "../../test/entries.ts";
import { ok, tool } from "../../test/rehearsal.ts";
import { done, opened, settled, stage, turn } from "../../test/sessions.ts";

const task = (id: string, input: object = {}) =>
  toolUse(id, "Agent", { description: "look around", prompt: "task one", ...input });
const write = (id: string, file_path: string) => toolUse(id, "Write", { file_path, content: "x" });

describe("what an agent may do", () => {
  const inside = (cwd: string) => join(cwd, "inside.txt");

  test.each([
    ["2026-02", undefined, {}, ["Write"]],
    ["2026-02", undefined, { agentMode: "acceptEdits" }, []],
    ["2026-02", "acceptEdits", {}, ["Write"]],
    ["2026-02", "acceptEdits", { agentMode: "acceptEdits" }, []],
    ["2026-11", undefined, {}, ["Write"]],
    ["2026-11", "acceptEdits", {}, ["Write"]],
    ["2026-11", undefined, { agentMode: "acceptEdits" }, []],
  ] as const)(
    "[PERM-06] [ATP-SUB-012] in %s a definition that says %s, with the option %j, asks about %j",
    async (revision, permissionMode, gates, expected) => {
      const { deps, cwd, define, asked, trust } = stage(
        {
          "": [[task("t1", { subagent_type: "writer", run_in_background: false })], done],
          "task one": (_, nth) => (nth === 0 ? [write("u1", inside(cwd))] : done),
        },
        { revision, gates },
      );
      define("writer", permissionMode ? { permissionMode } : {});
      trust();
      await turn(opened(deps), "go");
      expect(asked.map(({ tool }) => tool)).toEqual(expected);
      expect(existsSync(inside(cwd))).toBe(expected.length === 0);
    },
  );

  test("[PERM-07] rules of the session hold for its agents, also those that were added meanwhile", async () => {
    const { deps, cwd, asked } = stage(
      {
        "": [[task("t1")], [task("t2", { prompt: "task two" })], done],
        "task one": (_, nth) =>
          nth === 0 ? [write("u1", join(cwd, "secret.txt")), write("u2", join(cwd, "a.txt"))] : done,
        "task two": (_, nth) => (nth === 0 ? [write("v1", join(cwd, "b.txt"))] : done),
      },
      {
        settings: { permissions: { deny: ["Edit(./secret.txt)"] } },
        ask: async (question) => {
          asked.push(question);
          return {
            behavior: "allow",
            updates: [{ type: "addRules", rules: [{ toolName: "Write" }], behavior: "allow", destination: "session" }],
          };
        },
      },
    );
    await turn(opened(deps), "go");
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ tool: "Write", from: { name: "general-purpose" } });
    expect(["secret.txt", "a.txt", "b.txt"].map((name) => existsSync(join(cwd, name)))).toEqual([false, true, true]);
  });

  test.each(["default", "plan", "dontAsk"])(
    "[PERM-16] [LIM-04] who bypasses permissions does so in every agent, also in one whose definition says %s",
    async (permissionMode) => {
      const { deps, cwd, define, asked } = stage(
        {
          "": [[task("t1", { subagent_type: "writer" })], done],
          "task one": (_, nth) => (nth === 0 ? [write("u1", join(cwd, "../outside.txt"))] : done),
        },
        { mode: "bypassPermissions", isBypassAvailable: true },
      );
      define("writer", { permissionMode });
      await turn(opened(deps), "go");
      expect(asked).toEqual([]);
      expect(readFileSync(join(cwd, "../outside.txt"), "utf8")).toBe("x");
    },
  );

  test("[PERM-16] a definition bypasses nothing where the user has not enabled it", async () => {
    const { deps, cwd, define, asked, trust } = stage({
      "": [[task("t1", { subagent_type: "writer" })], done],
      "task one": (_, nth) => (nth === 0 ? [write("u1", inside(cwd))] : done),
    });
    define("writer", { permissionMode: "bypassPermissions" });
    trust();
    await turn(opened(deps), "go");
    expect(asked).toHaveLength(1);
  });

  test("an agent that works in the background changes nothing from the moment on in which the person chooses plan", async () => {
    let isChosen = (): void => {};
    const chosen = new Promise<void>((resolve) => {
      isChosen = resolve;
    });
    let isWaiting = (): void => {};
    const waiting = new Promise<void>((resolve) => {
      isWaiting = resolve;
    });
    const wait = tool("Wait", async () => {
      isWaiting();
      return chosen.then(() => ok("waited"));
    });
    const { deps, cwd, asked, trust } = stage(
      {
        "": [[task("t1", { run_in_background: true })], done, done],
        "task one": (_, nth) => {
          const files = ["before.txt", "planning.txt"].map((name) => [write(`w${nth}`, join(cwd, name))]);
          return [files[0], [toolUse("l1", "Wait")], files[1], done][nth] ?? done;
        },
      },
      { mode: "acceptEdits", gates: { agentMode: "acceptEdits" }, settings: { permissions: { allow: ["Wait"] } } },
    );
    trust();
    const session = opened({ ...deps, tools: [wait] });
    await turn(session, "go");
    await waiting;
    session.permissions.setMode("plan");
    isChosen();
    await settled(session);
    expect(["before.txt", "planning.txt"].map((name) => existsSync(join(cwd, name)))).toEqual([true, false]);
    expect(asked).toEqual([]);
  });

  test("who only plans starts agents that only plan", async () => {
    const { deps, cwd, define, trust } = stage(
      {
        "": [[task("t1", { subagent_type: "writer" })], done],
        "task one": (_, nth) => (nth === 0 ? [write("u1", inside(cwd))] : done),
      },
      { mode: "plan" },
    );
    define("writer", { permissionMode: "acceptEdits" });
    trust();
    await turn(opened(deps), "go");
    expect(existsSync(inside(cwd))).toBe(false);
  });
});
