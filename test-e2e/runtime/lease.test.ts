import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseTranscript } from "@troupe/protocol";
import { expect } from "vitest";
import { start, test } from "../store/processes.ts";

/**
 * Starts a process that opens the one session of this directory, and has its main conversation do
 * something.
 */
function hold(root: string, prompt = "start") {
  const cwd = join(root, "project");
  mkdirSync(cwd, { recursive: true });
  return start(join(import.meta.dirname, "holder.mjs"), { home: root, cwd, prompt });
}

const below = (root: string, end: string): string[] =>
  readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(end));

test("a second process is told which one has the session, also while that one is stopped, and writes nothing", async ({
  root,
}) => {
  const first = hold(root);
  await Promise.all([first.heard(/^an agent asks/), first.heard(/^rests a/)]);
  const texts = () => below(root, ".jsonl").map((path) => readFileSync(join(root, path), "utf8"));
  for (const signal of ["SIGCONT", "SIGSTOP"] as const) {
    first.child.kill(signal);
    const before = texts();
    expect(await hold(root).said).toEqual([
      expect.stringMatching(
        new RegExp(
          `^refused session_open this session is open in process ${first.child.pid} since .*: end that process`,
        ),
      ),
    ]);
    expect(texts()).toEqual(before);
  }
});

test("the session of a process that was killed is opened at once, and its agent works on in the new process", async ({
  root,
}) => {
  const first = hold(root);
  await Promise.all([first.heard(/^an agent asks/), first.heard(/^rests a/)]);
  first.child.kill("SIGKILL");
  await once(first.child, "close");
  const [agent = ""] = (await first.said).flatMap((line) => /^rests (a\S+)$/.exec(line)?.[1] ?? []);
  const second = hold(root, agent);
  await second.heard(/^open/);
  await second.heard(/^an agent asks/);
  const third = await hold(root, agent).said;
  expect(third).toEqual([
    expect.stringContaining(`refused session_open this session is open in process ${second.child.pid} `),
  ]);
  const [transcript = ""] = below(root, `agent-${agent}.jsonl`);
  const { lines } = parseTranscript(readFileSync(join(root, transcript), "utf8"));
  // It goes on by itself: its task stands there once, and its model was asked twice.
  expect(lines.filter(({ type }) => type === "user")).toHaveLength(1);
  expect(lines.filter(({ kind }) => kind === "asked")).toHaveLength(2);
});

test("of processes that open one session at the same moment one has it", async ({ root }) => {
  const all = Array.from({ length: 4 }, () => hold(root));
  const firsts = await Promise.all(
    all.map(({ heard }) => Promise.race([heard(/^open/).then(() => "open"), heard(/^refused/).then(() => "refused")])),
  );
  expect(firsts.toSorted()).toEqual(["open", "refused", "refused", "refused"]);
});
