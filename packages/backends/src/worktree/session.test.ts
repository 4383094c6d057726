import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openSession, type Session, scriptedModel } from "@troupe/runtime";
import { expect, onTestFinished, test } from "vitest";
import { environment, git, repository, scratch, worktreesOf } from "../../test/repositories.ts";

const words = (text: string) => [{ type: "text", text }];
const call = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
const task = (id: string, prompt: string, more: object = {}) =>
  call(id, "Agent", { description: prompt, prompt, isolation: "worktree", ...more });

type Said = ReturnType<typeof words> | readonly ReturnType<typeof call>[];

/** A session in a repository whose agents, told apart by a word of their task, say these things. */
function played(root: string, cast: Readonly<Record<string, readonly Said[]>>): Session {
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
      const asked = request.messages.filter(({ role }) => role === "user").flatMap(({ blocks }) => blocks);
      const one = models.find(({ word }) => word !== "" && asked.some((block) => block.includes(word)));
      return (
        (one ?? models.find(({ word }) => word === ""))?.model(request, signal) ?? scriptedModel([])(request, signal)
      );
    },
    key: { model: "m", betas: [] },
    options: { mode: "bypassPermissions", isBypassAvailable: true },
    person: { ask: async () => ({ behavior: "deny", message: "nobody is here" }) },
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
    "task one": [[call("u1", "Bash", { command: "echo b > a.txt && git rev-parse --abbrev-ref HEAD > branch.txt" })]],
  });
  const told = await turn(session, "go");
  const [job] = session.jobs.all();
  const path = join(root, `.claude/worktrees/agent-${job?.id}`);
  expect(told).toContain(`worktreePath: ${path}`);
  expect(told).toContain(`worktreeBranch: worktree-agent-${job?.id}`);
  expect(readFileSync(join(path, "branch.txt"), "utf8")).toBe(`worktree-agent-${job?.id}\n`);
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

test("[WT-14] agents side by side write to one name and do not collide, and their notifications name what they left", async () => {
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
});
