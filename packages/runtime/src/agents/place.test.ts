import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { toolUse, words } from "../../test/entries.ts";
import { killedHere } from "../../test/killed.ts";
import { placeAt } from "../../test/place.ts";
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
      const isUsed = () => readdirSync(path).length > 0;
      const release = async () => {
        released.push(path);
        return { isKept: isUsed() };
      };
      return placeAt(path, { branch: `worktree-${name}`, leave: async () => ({ isChanged: isUsed() }), release });
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
  const paths: string[] = [];
  const open: Workspaces["open"] = async (name, signal) => {
    const workspace = await workspaces.open(name, signal);
    paths.push(workspace.path);
    writeFileSync(join(workspace.path, "a.txt"), "a\n");
    return workspace;
  };
  const session = opened(changed(scene.deps, { workspaces: { open } }));
  await turn(session, "go");
  await settled(session);
  const [first, second] = scene.requestsOf("directive: split one");
  expect(first?.messages.at(-1)?.blocks.at(-1)).toContain(`lies below ${paths[0]} for you`);
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

test("[WT-16] the place of a background agent is kept until the agent that was told of its end has done what it wants with it, and goes then", async () => {
  const scene = stage(
    {
      "": [[task({ run_in_background: true })], done, [toolUse("l1", "Glob", { pattern: "*" })], done],
      "task one": [[words("All is well.")]],
    },
    { revision: "2026-11" },
  );
  const workspaces = directories(scene.home);
  const steps: number[] = [];
  const model: typeof scene.deps.model = (request, signal) => {
    steps.push(workspaces.released.length);
    return scene.deps.model(request, signal);
  };
  const session = opened(changed(scene.deps, { workspaces, model }));
  await turn(session, "go");
  await settled(session);
  const [place = ""] = readdirSync(scene.home).filter((name) => name.startsWith("agent-"));
  expect([place, workspaces.released]).toEqual([expect.stringContaining("agent-a"), []]);
  const { talk } = await turn(session);
  expect(talk.find((words) => words.includes("<task-notification>"))).not.toContain("worktree");
  // Neither the request that tells of the end nor the one after its tool comes behind the removal.
  expect(steps).toEqual([0, 0, 0, 0, 0]);
  await untilSeen("the place given back", () => workspaces.released.length === 1);
});

test("[WT-16] a place whose agent was never heard of is not given back by the end of its session", async () => {
  const scene = stage({ "": [[task({ run_in_background: true })], done], "task one": [[words("All is well.")]] });
  const workspaces = directories(scene.home);
  const session = opened(changed(scene.deps, { workspaces }));
  await turn(session, "go");
  await settled(session);
  await session.close();
  expect(workspaces.released).toEqual([]);
});

test("[WT-16] a background agent that goes on keeps its place, though its earlier end was dealt with", async () => {
  let letGo = () => {};
  const free = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const scene = stage({
    "": (request, nth) => {
      if (nth === 0) return [task({ run_in_background: true })];
      const id = /agentId: (a[\w-]*[0-9a-f]{16})/.exec(JSON.stringify(request.messages))?.[1];
      return nth === 2 ? [toolUse("s1", "SendMessage", { to: id, message: "once more", summary: "more" })] : done;
    },
    "task one": [done, done],
  });
  const workspaces = directories(scene.home);
  let runs = 0;
  const model: typeof scene.deps.model = async function* (request, signal) {
    if (request.messages[0]?.blocks[0]?.includes("task one")) {
      runs += 1;
      if (runs === 2) await free;
    }
    yield* scene.deps.model(request, signal);
  };
  const open: Workspaces["open"] = async (name) => {
    const path = join(scene.home, name);
    mkdirSync(path, { recursive: true });
    return placeAt(path, {
      release: async () => {
        workspaces.released.push(path);
        return { isKept: false };
      },
    });
  };
  const session = opened(changed(scene.deps, { workspaces: { open }, model }));
  await turn(session, "go");
  await settled(session);
  await turn(session);
  expect(session.jobs.running()).toHaveLength(1);
  expect(workspaces.released).toEqual([]);
  letGo();
  await settled(session);
  await turn(session);
  await untilSeen("the place given back", () => workspaces.released.length === 1);
});

test("[WT-16] a place whose agent was not heard of before its process was killed is given back by the next one, once that was told", async () => {
  const scene = stage(
    { "": [[task({ run_in_background: true })], done, done], "task one": [[words("All is well.")]] },
    { sessionId: "s1" },
  );
  const workspaces = directories(scene.home);
  const reopening: Workspaces["open"] = async (name) => {
    const path = join(scene.home, name);
    mkdirSync(path, { recursive: true });
    return placeAt(path, {
      branch: `worktree-${name}`,
      release: async () => {
        workspaces.released.push(path);
        return { isKept: false };
      },
    });
  };
  const deps = changed(scene.deps, { workspaces: { open: reopening } });
  const first = opened(deps);
  await turn(first, "go");
  await settled(first);
  const kill = killedHere(deps.machine.root);
  await first.close();
  kill();
  const next = opened(deps);
  await turn(next);
  await settled(next);
  const { talk } = await turn(next);
  const told = talk.find((words) => words.includes("<task-notification>"));
  expect(told).toContain("All is well.");
  expect(told).not.toContain("worktree");
  await untilSeen("the place given back", () => workspaces.released.length === 1);
});

test("an agent is told where it works, on which branch, and the commit that it began with", async () => {
  const scene = stage({ "": [[task()], done], "task one": [done] });
  const open = async (name: string) => placeAt(scene.cwd, { branch: `worktree-${name}`, base: "1234abcd" });
  await turn(opened(changed(scene.deps, { workspaces: { open } })), "go");
  expect(scene.requestsOf("task one")[0]?.messages[0]?.blocks[0]).toMatch(
    /task one\\n\\nYou work in a worktree of your own, .*project, on the branch worktree-agent-a[0-9a-f]{16}, which began with the commit 1234abcd\./,
  );
});

test("settings say what a place begins with and what is linked into it", async () => {
  const worktree = { baseRef: "fresh", symlinkDirectories: ["vendor"] };
  const scene = stage({ "": [[task()], done], "task one": [done] }, { settings: { worktree } });
  scene.trust();
  const choices: unknown[] = [];
  const open: Workspaces["open"] = async (_, __, choice) => {
    choices.push(choice);
    return placeAt(scene.cwd);
  };
  await turn(opened(changed(scene.deps, { workspaces: { open } })), "go");
  expect(choices).toEqual([worktree]);
});

test("[ATP-WT-008] in 2026-02 a call with a directory and a worktree is refused, and starts nothing; what the definition says gives way", async () => {
  const scene = stage(
    {
      "": [
        [task({ cwd: "sub" })],
        done,
        [toolUse("t2", "Agent", { description: "d", prompt: "task one", subagent_type: "apart", cwd: "sub" })],
        done,
      ],
      "task one": [done],
    },
    { gates: { isCwdEnabled: true } },
  );
  scene.define("apart", { isolation: "worktree" });
  mkdirSync(join(scene.cwd, "sub"));
  const workspaces = directories(scene.home);
  const session = opened(changed(scene.deps, { workspaces }));
  expect((await turn(session, "go")).talk[2]).toMatch(/cwd cannot be combined with isolation worktree.*leave out/);
  expect([scene.requestsOf("task one"), session.jobs.all(), workspaces.released]).toEqual([[], [], []]);
  await turn(session, "again");
  expect(JSON.stringify(scene.requestsOf("task one")[0]?.messages)).not.toContain("worktree");
  expect(session.jobs.all()).toHaveLength(1);
});
