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

test.each(["in-process", "process"])(
  "a teammate of the backend %s works by a definition of --agents",
  async (backend) => {
    const turns = new Map<string, number>();
    const { requests, run } = await project((request) => {
      const isMate = systemOf(request).includes("You are ann in the team");
      const nth = turns.get(String(isMate)) ?? 0;
      turns.set(String(isMate), nth + 1);
      if (isMate) return "I rode.";
      const calls = [
        toolUse("TeamCreate", { team_name: `crew-${backend}` }),
        toolUse("Agent", { description: "ride", prompt: "ride out", name: "ann", subagent_type: "rider" }),
      ];
      return calls[nth] ?? "Done.";
    });
    await run("go", "--agents", riders, "--backend", backend);
    const ann = requests().find((request) => systemOf(request).includes("You are ann in the team"));
    expect(systemOf(ann)).toContain("You ride a horse.");
  },
);
