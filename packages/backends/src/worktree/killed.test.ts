import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { environment, git, never, repository, scratch, worktreesOf, written } from "../../test/repositories.ts";

const opener = join(import.meta.dirname, "../../test/opener.mjs");

test("a worktree whose maker is killed while git checks files out is made whole by the next, though that git still runs", async () => {
  const root = repository({ "a.txt": "a\n", "b.txt": "b\n", ".gitattributes": "b.txt filter=slow\n" });
  const notes = scratch();
  const stall = `if mkdir '${notes}/first' 2>/dev/null; then echo $$ > '${notes}/pid'; sleep 1000; fi; cat`;
  git(root, "config", "filter.slow.smudge", stall);
  const maker = spawn(process.execPath, [opener, root], { env: environment, stdio: "ignore" });
  const orphan = await written(join(notes, "pid"));
  const group = /\) \S+ \d+ (\d+)/.exec(readFileSync(`/proc/${orphan}/stat`, "utf8"))?.[1];
  onTestFinished(() => void process.kill(-Number(group), "SIGKILL"));
  maker.kill("SIGKILL");
  await once(maker, "exit");

  const { path, release } = await worktreesOf(root).open("x", never);
  expect(readFileSync(join(path, "b.txt"), "utf8")).toBe("b\n");
  expect(git(path, "status", "--porcelain")).toBe("");
  expect(await release()).toEqual({ isKept: false });
});
