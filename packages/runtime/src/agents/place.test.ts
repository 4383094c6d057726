import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { changed, done, opened, settled, stage, turn } from "../../test/sessions.ts";
import type { Workspaces } from "../workspace.ts";

/** Directories in the place of worktrees; what is in one when it is given back makes it stay. */
function directories(root: string): Workspaces & { readonly released: string[] } {
  const released: string[] = [];
  return {
    released,
    async open(name) {
      const path = join(root, name);
      mkdirSync(path);
      const release = async () => {
        released.push(path);
        return { isKept: readdirSync(path).length > 0 };
      };
      return { path, branch: `worktree-${name}`, release };
    },
  };
}

const task = (input: object = {}) =>
  toolUse("t1", "Agent", { description: "paint it", prompt: "task one", isolation: "worktree", ...input });
const write = [toolUse("u1", "Write", { file_path: "a.txt", content: "a" })];

test("[WT-03] an agent with a place of its own works there, and what it wrote is told with its report", async () => {
  const scene = stage({ "": [[task()], done], "task one": [write, done] }, { gates: { agentMode: "acceptEdits" } });
  const workspaces = directories(scene.home);
  const { talk } = await turn(opened(changed(scene.deps, { workspaces })), "go");
  const [path = ""] = workspaces.released;
  expect(readFileSync(join(path, "a.txt"), "utf8")).toBe("a");
  expect(existsSync(join(scene.cwd, "a.txt"))).toBe(false);
  expect(talk[2]).toContain(`worktreePath: ${path}`);
  expect(talk[2]).toMatch(/worktreeBranch: worktree-agent-a[0-9a-f]{16}/);
});

test("[FAIL-09] one that changed nothing leaves nothing, and nothing is said of it", async () => {
  const scene = stage({ "": [[task()], done], "task one": [[words("All is well.")]] });
  const workspaces = directories(scene.home);
  const session = opened(changed(scene.deps, { workspaces }));
  const { talk } = await turn(session, "go");
  expect(workspaces.released).toHaveLength(1);
  expect(talk[2]).not.toContain("worktree");
  const directory = join(session.transcript.replace(/\.jsonl$/, ""), "subagents");
  const [, meta = ""] = readdirSync(directory).sort();
  expect(JSON.parse(readFileSync(join(directory, meta), "utf8"))).toMatchObject({
    spawnedWithWorktree: true,
    worktreeCleanlyRemoved: true,
    worktreePath: workspaces.released[0],
  });
});

test("[ATP-SUB-104] in the background it is told with the notification", async () => {
  const scene = stage(
    { "": [[task({ run_in_background: true })], done, done], "task one": [write, done] },
    { gates: { agentMode: "acceptEdits" }, revision: "2026-11" },
  );
  const workspaces = directories(scene.home);
  const session = opened(changed(scene.deps, { workspaces }));
  await turn(session, "go");
  await settled(session);
  expect((await turn(session)).talk[4]).toContain(`<worktree><worktreePath>${workspaces.released[0]}</worktreePath>`);
});

test("[FORK-22] a fork elsewhere is told what its parent's paths are there, and reads again before it writes", async () => {
  const edit = [toolUse("u1", "Edit", { file_path: "a.txt", old_string: "a", new_string: "b" })];
  const scene = stage(
    {
      "": [
        [toolUse("r1", "Read", { file_path: "a.txt" })],
        [task({ subagent_type: "fork", prompt: "split one" })],
        done,
      ],
      "directive: split one": [edit, done],
    },
    { mode: "acceptEdits" },
  );
  writeFileSync(join(scene.cwd, "a.txt"), "a\n");
  const workspaces = directories(scene.home);
  const open: Workspaces["open"] = async (name, signal) => {
    const workspace = await workspaces.open(name, signal);
    writeFileSync(join(workspace.path, "a.txt"), "a\n");
    return workspace;
  };
  const session = opened(changed(scene.deps, { workspaces: { open } }));
  await turn(session, "go");
  await settled(session);
  const [first, second] = scene.requestsOf("directive: split one");
  expect(first?.messages.at(-1)?.blocks.at(-1)).toContain(`lies below ${workspaces.released[0]} for you`);
  expect(JSON.stringify(second?.messages.at(-1))).toContain("has not been read yet");
});

test("without anybody to make places, or when that fails, no agent is started", async () => {
  const scene = stage({ "": [[task()], done, [task()], done], "task one": [done] });
  expect((await turn(opened(scene.deps), "go")).talk[2]).toContain("leave out isolation");
  const open = () => Promise.reject(new Error("no repository here"));
  expect((await turn(opened(changed(scene.deps, { workspaces: { open } })), "go")).talk[2]).toContain(
    "no repository here",
  );
  expect(scene.requestsOf("task one")).toEqual([]);
});
