import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { openLeads, toldTo, usedIn } from "../led-team.ts";
import { processesOf } from "../processes.ts";

const { root, stage } = openLeads();

const isOf = (name: string, { system }: MessagesRequest) =>
  JSON.stringify(system).includes(`You are ${name} in the team`);
const lastOf = ({ messages }: MessagesRequest) => JSON.stringify(messages.at(-1)?.content);
const write = (file: string, content = "x") => toolUse("Write", { file_path: file, content });
const flagsOf = (name: string) =>
  processesOf(`${name}@crew`).flatMap((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0"));

test("[PLAN-11] who is spawned in plan mode starts in it, by a flag of its own, and leaves it only by the lead's approval; any other enters and leaves it by itself", async () => {
  mkdirSync(root, { recursive: true });
  const told: string[] = [];
  const flags: Record<string, readonly string[]> = {};
  const asking: string[] = [];
  let wasEarly: boolean | undefined;

  function ann(request: MessagesRequest) {
    const used = usedIn(request);
    const said = toldTo(request);
    flags["ann"] ??= flagsOf("ann");
    told.push(lastOf(request));
    if (used.length === 0) return [write("ann.txt")];
    if (used.length === 1) return [toolUse("ExitPlanMode", {})];
    const [, path = ""] = /Write it to (\S+\.md)/.exec(JSON.stringify(request.messages)) ?? [];
    if (used.length === 2) return [write(path, "# Ann's plan")];
    if (used.length === 3) return [toolUse("ExitPlanMode", {})];
    if (!said.includes("[Plan Approved]")) return "I wait.";
    return used.length === 4 ? [write("ann.txt")] : "Ann is done.";
  }

  function bob(request: MessagesRequest) {
    flags["bob"] ??= flagsOf("bob");
    const steps = [
      [toolUse("EnterPlanMode", {})],
      [write("early.txt")],
      [toolUse("ExitPlanMode", {})],
      [write("bob.txt")],
    ];
    return steps[usedIn(request).length] ?? "Bob is done.";
  }

  function lead(request: MessagesRequest) {
    const [used, said] = [usedIn(request), toldTo(request)];
    const mate = (name: string, more: object) =>
      toolUse("Agent", { name, description: "d", prompt: "work", subagent_type: "general-purpose", ...more });
    if (!used.includes("TeamCreate")) return [toolUse("TeamCreate", { team_name: "crew" })];
    if (!used.includes("Agent")) return [mate("ann", { mode: "plan" }), mate("bob", {})];
    const config = JSON.parse(readFileSync(join(root, "teams/crew/config.json"), "utf8"));
    for (const { name, planModeRequired } of config.members) if (planModeRequired) asking.push(name);
    const [, request_id] = /(plan_approval-\d+@ann[\w@-]*)/.exec(said) ?? [];
    if (request_id === undefined || used.includes("SendMessage")) return "I wait.";
    wasEarly = existsSync(join(cwd, "ann.txt"));
    const message = { type: "plan_approval_response", request_id, approve: true };
    return [toolUse("SendMessage", { to: "ann", summary: "yes", message })];
  }

  const { lead: begin, cwd } = await stage((request) =>
    isOf("ann", request) ? ann(request) : isOf("bob", request) ? bob(request) : lead(request),
  );
  writeFileSync(join(root, "settings.json"), JSON.stringify({ permissions: { allow: ["Write"] } }));
  await begin("process").over();
  expect(told[1]).toContain("plan mode changes nothing");
  expect(new Set(asking)).toEqual(new Set(["ann"]));
  expect([flags["ann"]?.includes("--plan-mode-required"), flags["bob"]?.includes("--plan-mode-required")]).toEqual([
    true,
    false,
  ]);
  expect(["ann.txt", "bob.txt", "early.txt"].map((name) => existsSync(join(cwd, name)))).toEqual([true, true, false]);
  expect([wasEarly, processesOf(root)]).toEqual([false, []]);
});
