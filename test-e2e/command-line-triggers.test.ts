import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type LoggedRequest,
  type MessagesRequest,
  type Rule,
  startFakeAnthropic,
  toolUse,
} from "@troupe/fake-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { openTroupe } from "./command-line.ts";

const { home, troupeBeside } = openTroupe();
const sent = ({ json }: LoggedRequest) => json as MessagesRequest;
const firstWords = ({ messages }: MessagesRequest) => String(messages[0]?.content[0]?.["text"]);
const systemOf = (request: MessagesRequest | undefined) => JSON.stringify(request?.system);
const listOf = (request: MessagesRequest | undefined) =>
  String(request?.tools.find(({ name }) => name === "Agent")?.["description"]);

const riders = JSON.stringify({ rider: { description: "Rides.", prompt: "You ride a horse." } });

/** A trusted project with the definition scout, and what its sessions asked the model. */
async function project(rule: Rule, settings: object = {}) {
  const fake = await startFakeAnthropic({ rule });
  onTestFinished(() => fake.close());
  const cwd = mkdtempSync(join(home, "project-"));
  mkdirSync(join(cwd, ".claude/agents"), { recursive: true });
  writeFileSync(
    join(cwd, ".claude/agents/scout.md"),
    "---\nname: scout\ndescription: Looks into attics.\nmodel: haiku\n---\nYou scout on foot.\n",
  );
  writeFileSync(join(cwd, ".claude/settings.json"), JSON.stringify(settings));
  expect(await troupeBeside(["trust", cwd, "--yes"])).toMatchObject({ status: 0 });
  return {
    requests: () => fake.requests.map(sent),
    async run(...args: readonly string[]) {
      const env = {
        ANTHROPIC_API_KEY: "of-no-use",
        ANTHROPIC_BASE_URL: fake.url,
        TMPDIR: mkdtempSync(join(home, "tmp-")),
      };
      const { stdout, stderr, status } = await troupeBeside(["run", ...args], { env, cwd, input: "" });
      expect([status, stderr]).toEqual([0, ""]);
      return stdout;
    },
  };
}

const call = (tool: string, subagent_type: string) =>
  toolUse(tool, { description: "look", prompt: "look into it", subagent_type, run_in_background: false });
const answers =
  (calls: Rule): Rule =>
  (request, context) =>
    firstWords(request) === "look into it"
      ? "It is empty."
      : request.messages.length === 1
        ? calls(request, context)
        : "Done.";

test("[DEF-61] an agent comes to work in six ways: by its description, by a person's word, by --agent, by --agents, by a hook, and by the tool under its former name", async () => {
  const delegated = [
    ["What is in the attic?", "Agent"],
    ["Use the scout agent to look into the attic.", "Agent"],
    ["What is in the cellar?", "Task"],
  ] as const;
  for (const [prompt, tool] of delegated) {
    const { requests, run } = await project(answers(() => call(tool, "scout")));
    expect(await run(prompt)).toBe("Done.\n");
    const [first, agents, last] = requests();
    expect(firstWords(first ?? expect.unreachable())).toBe(prompt);
    expect(listOf(first)).toContain("- scout: Looks into attics.");
    expect(systemOf(agents)).toContain("You scout on foot.");
    expect(JSON.stringify(last?.messages.at(-1))).toContain("It is empty.");
  }

  const main = await project(() => "Done.");
  await main.run("look", "--agent", "scout");
  expect(systemOf(main.requests()[0])).toContain("You scout on foot.");

  const given = await project(answers(() => call("Agent", "rider")));
  await given.run("go", "--agents", riders);
  expect(listOf(given.requests()[0])).toContain("- rider: Rides.");
  expect(systemOf(given.requests()[1])).toContain("You ride a horse.");

  const isJudge = (request: MessagesRequest) => firstWords(request).includes("Is the attic empty?");
  const hooks = { Stop: [{ hooks: [{ type: "agent", prompt: "Is the attic empty? $ARGUMENTS" }] }] };
  const hooked = await project((request) => (isJudge(request) ? '{"ok": true}' : "Done."), { hooks });
  expect(await hooked.run("go")).toBe("Done.\n");
  const judge = hooked.requests().find(isJudge);
  expect(judge?.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["Read", "Grep"]));
});

test("a definition of --agent says the model where no other is asked for", async () => {
  const { requests, run } = await project(() => "Done.");
  await run("look", "--agent", "scout");
  await run("look", "--agent", "scout", "--model", "opus");
  expect(requests().map(({ model }) => model)).toEqual([
    expect.stringContaining("haiku"),
    expect.stringContaining("opus"),
  ]);
});

/** The plugin kit, whose manifest says so, with the agent kit:tools:rider. */
function plugin(): string {
  const directory = mkdtempSync(join(home, "plugin-"));
  for (const inner of [".claude-plugin", "agents/tools"]) mkdirSync(join(directory, inner), { recursive: true });
  writeFileSync(join(directory, ".claude-plugin/plugin.json"), JSON.stringify({ name: "kit" }));
  const text = "---\nname: rider\ndescription: Rides.\nmemory: local\n---\nYou ride a horse.\n";
  writeFileSync(join(directory, "agents/tools/rider.md"), text);
  return directory;
}

test("an agent of a plugin is asked for, worked by and inspected under its whole name", async () => {
  const given = await project(answers(() => call("Agent", "kit:tools:rider")));
  await given.run("go", "--plugin-dir", plugin());
  expect(listOf(given.requests()[0])).toContain("- kit:tools:rider: Rides.");
  expect(systemOf(given.requests()[1])).toContain("You ride a horse.");
  const main = await project(() => "Done.");
  await main.run("go", "--plugin-dir", plugin(), "--agent", "kit:tools:rider");
  expect(systemOf(main.requests()[0])).toContain("You ride a horse.");
  const { stdout } = await troupeBeside(["agents", "inspect", "kit:tools:rider", "--plugin-dir", plugin()]);
  expect(stdout).toMatch(/^kit:tools:rider .*rider\.md[\s\S]*memory +local: \S+\/kit-tools-rider/);
  const { status, stderr } = await troupeBeside(["run", "go", "--plugin-dir", "nowhere"]);
  expect([status, stderr]).toEqual([2, "troupe: --plugin-dir nowhere is no directory\n"]);
});

test.each(["in-process", "process"])(
  "teammates of the backend %s work by a definition of --agents and by that of a plugin",
  async (backend) => {
    const of = (name: string) => `You are ${name} in the team`;
    let leads = 0;
    const added = (name: string, subagent_type: string) =>
      toolUse("Agent", { description: "ride", prompt: "ride out", name, subagent_type });
    const { requests, run } = await project((request) => {
      if (["ann", "bob"].some((name) => systemOf(request).includes(of(name)))) return "I rode.";
      const team = toolUse("TeamCreate", { team_name: `crew-${backend}` });
      leads += 1;
      return [team, added("ann", "rider"), added("bob", "kit:tools:rider")][leads - 1] ?? "Done.";
    });
    await run("go", "--agents", riders, "--plugin-dir", plugin(), "--backend", backend);
    for (const name of ["ann", "bob"])
      expect(systemOf(requests().find((request) => systemOf(request).includes(of(name))))).toContain(
        "You ride a horse.",
      );
  },
);
