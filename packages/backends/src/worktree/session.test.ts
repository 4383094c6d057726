import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openSession, type Session, scriptedModel } from "@troupe/runtime";
import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { environment, git, never, repository, scratch, worktreesOf, write } from "../../test/repositories.ts";

const words = (text: string) => [{ type: "text", text }];
const call = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
const task = (id: string, prompt: string, more: object = {}) =>
  call(id, "Agent", { description: prompt, prompt, isolation: "worktree", ...more });

type Said = ReturnType<typeof words> | readonly ReturnType<typeof call>[];

/** A session in a repository whose agents, told apart by a word of their task, say these things. */
function played(
  root: string,
  cast: Readonly<Record<string, readonly Said[]>>,
  {
    mode = "bypassPermissions",
    asked = [],
    requests = [],
  }: { mode?: "bypassPermissions" | "acceptEdits"; asked?: string[]; requests?: string[] } = {},
): Session {
  const home = scratch();
  const models = Object.entries(cast).map(([word, lines]) => ({
    word,
    model: scriptedModel([...lines, words("done")]),
  }));
  const session = openSession({
    machine: { root: join(home, ".claude"), home, temporary: join(home, "tmp"), environment },
    project: { cwd: root, workspaces: worktreesOf(root) },
    role: "You are careful.",
    model(request, signal) {
      const told = request.messages.filter(({ role }) => role === "user").flatMap(({ blocks }) => blocks);
      requests.push(...told);
      const one = models.find(({ word }) => word !== "" && told.some((block) => block.includes(word)));
      return (
        (one ?? models.find(({ word }) => word === ""))?.model(request, signal) ?? scriptedModel([])(request, signal)
      );
    },
    key: { model: "m", betas: [] },
    options: { mode, isBypassAvailable: true, gates: { agentMode: mode === "acceptEdits" ? mode : "default" } },
    person: {
      async ask({ tool, input }) {
        asked.push(`${tool} ${Object.values(input as object)[0]}`);
        return { behavior: "deny", message: "nobody is here" };
      },
    },
  });
  onTestFinished(() => session.close());
  return session;
}

async function turn(session: Session, prompt?: string): Promise<string> {
  if (prompt !== undefined) await session.submit(prompt);
  const results: string[] = [];
  for await (const event of session.run())
    if (event.kind === "entry" && (event.entry.kind === "result" || event.entry.kind === "input"))
      results.push(JSON.stringify(event.entry));
  return results.join("\n");
}

test("[WT-01] [WT-02] [ATP-WT-101] an agent works in a worktree and on a branch named after it; what it changed stays, and is named", async () => {
  const root = repository();
  const session = played(root, {
    "": [[task("t1", "task one")]],
    "task one": [
      [
        call("u1", "Bash", {
          command:
            "echo b > a.txt; git rev-parse --abbrev-ref HEAD > branch.txt; cat $(git rev-parse --git-dir)/locked > lock.txt",
        }),
      ],
    ],
  });
  const told = await turn(session, "go");
  const [job] = session.jobs.all();
  const path = join(root, `.claude/worktrees/agent-${job?.id}`);
  expect(told).toContain(`worktreePath: ${path}`);
  expect(told).toContain(`worktreeBranch: worktree-agent-${job?.id}`);
  expect(readFileSync(join(path, "branch.txt"), "utf8")).toBe(`worktree-agent-${job?.id}\n`);
  expect(readFileSync(join(path, "lock.txt"), "utf8")).toContain(`an agent of process ${process.pid} works here`);
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("a\n");
  expect(git(root, "worktree", "list", "--porcelain")).not.toContain("locked");
});

test("[WT-04] [ATP-WT-003] what an agent has left as it was is gone with its branch", async () => {
  const root = repository();
  const session = played(root, {
    "": [[task("t1", "task one")]],
    "task one": [[call("u1", "Read", { file_path: "a.txt" })]],
  });
  expect(await turn(session, "go")).not.toContain("worktreePath");
  const [job] = session.jobs.all();
  const path = join(root, `.claude/worktrees/agent-${job?.id}`);
  expect([existsSync(path), git(root, "branch", "--list", "worktree-*")]).toEqual([false, ""]);
});

test("[WT-14] [ATP-WT-101] agents side by side write to one name and do not collide, and their notifications name what they left", async () => {
  const root = repository();
  const writing = (id: string) => [[call(id, "Write", { file_path: "new.txt", content: id })]];
  const session = played(root, {
    "": [[task("t1", "task one", { run_in_background: true }), task("t2", "task two", { run_in_background: true })]],
    "task one": writing("one"),
    "task two": writing("two"),
  });
  await turn(session, "go");
  await Promise.all(session.jobs.all().map((job) => job.settled));
  const told = await turn(session);
  const paths = session.jobs.all().map(({ id }) => join(root, `.claude/worktrees/agent-${id}`));
  expect(paths.map((path) => readFileSync(join(path, "new.txt"), "utf8")).sort()).toEqual(["one", "two"]);
  for (const path of paths) expect(told).toContain(`<worktreePath>${path}</worktreePath>`);
  expect(git(root, "worktree", "list", "--porcelain")).not.toContain("locked");
  expect(git(root, "branch", "--list", "worktree-*").split("\n")).toHaveLength(2);
});

test("[WT-16] [ATP-WT-101] the worktree of a background agent that changed nothing is there, locked, until its notification was dealt with, and goes with its branch then", async () => {
  const root = repository();
  const session = played(root, {
    "": [[task("t1", "task one", { description: "look", run_in_background: true })], words("I wait.")],
    "task one": [[call("u1", "Read", { file_path: "a.txt" })]],
  });
  await turn(session, "go");
  const [job] = session.jobs.all();
  await job?.settled;
  const path = join(root, `.claude/worktrees/agent-${job?.id}`);
  expect(existsSync(join(path, "a.txt"))).toBe(true);
  expect(git(root, "worktree", "list", "--porcelain")).toContain("locked an agent of process");
  expect((await worktreesOf(root).sweep(never)).map(({ state, isRemoved }) => [state, isRemoved])).toEqual([
    ["used", false],
  ]);
  expect(await turn(session)).toContain("<task-notification>");
  await untilSeen("the worktree gone with its branch", () => git(root, "branch", "--list", "worktree-*") === "");
  expect(existsSync(path)).toBe(false);
});

test("an agent is told the commit that its worktree began with", async () => {
  const root = repository();
  const requests: string[] = [];
  const session = played(
    root,
    {
      "": [[task("t1", "task one", { subagent_type: "general-purpose" })]],
      "task one": [[call("u1", "Write", { file_path: "b.txt", content: "b" })], words("A report.")],
    },
    { requests },
  );
  await turn(session, "go");
  const [job] = session.jobs.all();
  const place = `${join(root, `.claude/worktrees/agent-${job?.id}`)}, on the branch worktree-agent-${job?.id}, which began with the commit ${git(root, "rev-parse", "HEAD")}.`;
  expect(requests.join()).toContain(`You work in a worktree of your own, ${place}`);
});

test("[WT-03] an agent in a worktree writes there unasked, and nowhere else: not in the repository, and not through its link to node_modules", async () => {
  const root = repository({ "a.txt": "a\n", ".gitignore": "node_modules\n" });
  write(root, { "node_modules/m/index.js": "before" });
  const asked: string[] = [];
  const writes = [
    call("u1", "Write", { file_path: "own.txt", content: "own" }),
    call("u2", "Write", { file_path: "node_modules/m/new.js", content: "evil" }),
    call("u3", "Write", { file_path: join(root, "b.txt"), content: "evil" }),
    call("u4", "Bash", { command: "echo evil > node_modules/m/index.js" }),
    call("u5", "Bash", { command: "touch ../../../b.txt" }),
  ];
  const session = played(
    root,
    { "": [[task("t1", "task one")]], "task one": [writes] },
    { mode: "acceptEdits", asked },
  );
  await turn(session, "go");
  expect(asked).toEqual([
    "Write node_modules/m/new.js",
    `Write ${join(root, "b.txt")}`,
    "Bash echo evil > node_modules/m/index.js",
    "Bash touch ../../../b.txt",
  ]);
  const [job] = session.jobs.all();
  expect(readFileSync(join(root, `.claude/worktrees/agent-${job?.id}/own.txt`), "utf8")).toBe("own");
  expect(readFileSync(join(root, "node_modules/m/index.js"), "utf8")).toBe("before");
  expect([existsSync(join(root, "node_modules/m/new.js")), existsSync(join(root, "b.txt"))]).toEqual([false, false]);
});
