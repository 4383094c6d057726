import { cpSync } from "node:fs";
import { join } from "node:path";
import type { MessageDraft } from "@troupe/protocol";
import type { Team } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import { onTestFinished } from "vitest";
import { openTroupe, sample } from "../command-line.ts";

/** Runs when it is not shown as text. */
export const script = `<img src=x onerror="document.title='ran'"><script>document.title='ran'</script>`;

const colors = ["lead", "reads the grammar", "writes the parser", "tests what was written"] as const;

/** A team at work, as its members record it, with what text of others may hold. */
export async function makeTeam(root: string, name = "crew"): Promise<Team> {
  const store = openFileStore({ root });
  const at = { createdAt: Date.now(), cwd: root };
  const team = await store.createTeam({
    name,
    leadSessionId: `session-of-${name}`,
    leadModel: "claude-opus-4-6",
    description: script,
    ...at,
  });
  const lead = await team.as("team-lead");
  const [, ...kinds] = colors;
  for (const [index, one] of ["ann", "bob", "cleo"].entries()) {
    const draft = {
      name: one,
      agentType: kinds[index] ?? "worker",
      model: "sonnet",
      prompt: "p",
      joinedAt: Date.now(),
      cwd: root,
    };
    await lead.record({ kind: "spawning", name: one, joinedAt: draft.joinedAt });
    await team.join(draft);
    await lead.record({ kind: "spawned", backend: "process", mode: "default", ...draft });
  }
  const tasks = ["Read the grammar", "Write the parser", `Test ${script}`, "Write the release note", "Publish it"];
  for (const [index, subject] of tasks.entries())
    await lead.tasks.create({ subject, description: script }, index === 0 ? {} : { addBlockedBy: [String(index)] });
  const [ann, bob, cleo] = await Promise.all(["ann", "bob", "cleo"].map((one) => team.as(one)));
  if (!ann || !bob || !cleo) throw new Error("members are missing");
  for (const one of [ann, bob, cleo]) await one.record({ kind: "ready" });
  await ann.record({ kind: "turn", phase: "began" });
  await ann.tasks.claim("1", "ann");
  await ann.tasks.complete("1");
  await bob.tasks.claim("2", "bob");
  await bob.record({ kind: "turn", phase: "began" });
  await bob.record({ kind: "tool", phase: "began", call: "t1", tool: "Edit" });
  await ann.send("bob", { text: `The grammar is read.\n\n${script}`, summary: "the grammar" });
  await bob.send("team-lead", { text: "I begin with the parser.", summary: script });
  await cleo.record({ kind: "idle" });
  return team;
}

/** Asks the lead for a permission, as a member does. */
export async function askPermission(team: Team, from = "bob", id = "perm-1"): Promise<void> {
  const self = await team.as(from);
  const input = {
    file_path: "/src/parser.ts",
    old_string: "return 1;\nend",
    new_string: `return 2; // ${script}\nend`,
  };
  const body: MessageDraft = {
    type: "permission_request",
    request_id: id,
    agent_id: from,
    tool_name: "Edit",
    tool_use_id: "t1",
    description: "it changes a file",
    input,
    permission_suggestions: [],
  };
  await self.record({ kind: "permission", id, phase: "asked", tool: "Edit", reason: "it changes a file" });
  await self.send("team-lead", { body });
}

/** Hands in a plan, as a member does. */
export async function askPlan(team: Team, from = "ann", requestId = "plan-1"): Promise<void> {
  const self = await team.as(from);
  const stamp = { from, timestamp: new Date().toISOString(), requestId };
  const planContent = `# The plan\n\n1. Read the grammar\n2. ${script}\n3. Write the tests first`;
  await self.record({ kind: "plan", id: requestId, phase: "asked" });
  await self.send("team-lead", {
    body: { type: "plan_approval_request", ...stamp, planFilePath: "/plan.md", planContent },
  });
}

/** A root with teams that real clients have written, and one of ours. */
export async function openStage() {
  const troupe = openTroupe();
  const { root, live } = troupe;
  const serve = async (...args: readonly string[]) => {
    const { until, child, closed } = live("web", "--json", ...args);
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await closed;
    });
    const { url } = JSON.parse(await until(() => true));
    return { url: String(url), origin: new URL(url).origin, child, closed };
  };
  return {
    ...troupe,
    serve,
    async team(name: string) {
      const team = await openFileStore({ root }).openTeam(name);
      if (!team) throw new Error(`there is no team ${name}`);
      return team;
    },
    addSample: () => cpSync(sample, root, { recursive: true }),
    path: (name: string) => join(root, name),
  };
}
