import { once } from "node:events";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { expectSchema, openTroupe } from "./command-line.ts";

const { troupe, asProcess, begin, refusal } = openTroupe();

test("the demo gives each task to one process, tells of each step, and leaves a sound team to try things on", () => {
  const { status, stdout, stderr } = asProcess(["demo", "--json"]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const line of lines) expectSchema("demo", line);
  const { root, ...over } = lines.at(-1);
  expect(over).toMatchObject({ event: "over", failed: 0, isSound: true });
  expect(root.startsWith(tmpdir())).toBe(true);
  const owners = new Map<string, Set<string>>();
  for (const { task } of lines)
    if (task?.owner) owners.set(task.id, (owners.get(task.id) ?? new Set()).add(task.owner));
  expect([...owners.keys()].sort()).toEqual(["1", "2", "3", "4", "5", "6"]);
  for (const [id, who] of owners) expect(who.size, id).toBe(1);
  const { teams } = JSON.parse(troupe(["show", root, "--json"]).stdout);
  expect(teams[0].tasks.map(({ status }: { status: string }) => status)).toEqual(Array(6).fill("completed"));
  const inbox = JSON.parse(troupe(["inbox", "demo", "team-lead", "--root", root, "--json"]).stdout);
  expect(inbox.messages).toHaveLength(6);
  rmSync(root, { recursive: true });
});

test("an interrupt ends the demo with all its processes", async () => {
  const demo = begin(["demo"]);
  const closed = once(demo, "close");
  let shown = "";
  for await (const text of demo.stdout) {
    const isFirst = !shown.includes("in_progress");
    shown += text;
    // A second Ctrl-C does not wait for the clean-up.
    if (isFirst && shown.includes("in_progress")) demo.kill("SIGINT");
  }
  // Its output ends once no process holds it any more.
  expect(await closed).toEqual([130, null]);
});

test("a worker without its team is told so", () => {
  expect(refusal(3, ["demo", "--as", "writer"])).toMatch(/^there is no team demo under /);
});
