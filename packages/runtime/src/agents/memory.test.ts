import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type LoggedRequest, type MessagesRequest, type Rule, toolUse } from "@troupe/fake-anthropic";
import { agentMemory, revisions } from "@troupe/protocol";
import { expect, test } from "vitest";
import { faked } from "../../test/faked.ts";
import { opened, settled, turn } from "../../test/sessions.ts";

const sent = ({ json }: LoggedRequest) => json as MessagesRequest;
const firstWords = ({ messages }: MessagesRequest) => String(messages[0]?.content[0]?.["text"]);
const toolsOf = (request: MessagesRequest | undefined) => request?.tools.map(({ name }) => name).toSorted() ?? [];
const toldIn = (request: MessagesRequest | undefined) =>
  request?.system.map(({ text }) => String(text)).join("\n\n") ?? "";
const write = (file_path: string, content: string) => toolUse("Write", { file_path, content });
const scopes = ["user", "project", "local"] as const;

/** A project whose agent keeper has a memory; each session sets it to work once. */
async function keeping(definition: object, ofKeeper: Rule = () => "A report.", over: Parameters<typeof faked>[1] = {}) {
  const call = toolUse("Agent", {
    description: "keep",
    prompt: "keep",
    subagent_type: "keeper",
    run_in_background: false,
  });
  const stage = await faked(
    {
      rule: (request, context) =>
        firstWords(request) === "go" ? (request.messages.length === 1 ? call : "Done.") : ofKeeper(request, context),
    },
    over,
  );
  stage.define("keeper", definition);
  stage.trust();
  const { cwd, deps, fake } = stage;
  return {
    ...stage,
    place: (scope: (typeof scopes)[number]) => agentMemory(scope, "keeper", deps.machine.root, cwd),
    keepers: () => fake.requests.map(sent).filter((request) => firstWords(request) === "keep"),
    async go() {
      const session = opened(deps);
      await turn(session, "go");
      await settled(session);
      await session.close();
    },
  };
}

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

test.each(scopes)(
  "[MEM-06] [MEM-07] what an agent writes into its %s memory and into a topic file beside it, unasked, is its own in a later session",
  async (scope) => {
    const places = { directory: "" };
    let run = 0;
    const rule: Rule = ({ messages }) => {
      const step = messages.length;
      const topic = join(places.directory, "topics", "attic.md");
      if (step === 1) run += 1;
      if (run === 1 && step === 1)
        return [write(join(places.directory, "MEMORY.md"), "See topics/attic.md."), write(topic, "It is empty.")];
      return run === 2 && step === 1 ? toolUse("Read", { file_path: topic }) : "A report.";
    };
    const { asked, place, keepers, go } = await keeping({ memory: scope, tools: ["Grep"] }, rule);
    places.directory = place(scope);
    await go();
    expect([asked, readFileSync(join(places.directory, "MEMORY.md"), "utf8")]).toEqual([[], "See topics/attic.md."]);
    expect(toldIn(keepers()[0])).toContain("It is still empty.");
    await go();
    const [, , again, told] = keepers();
    expect(toldIn(again)).toContain(`${join(places.directory, "MEMORY.md")}`);
    expect(toldIn(again)).toContain("See topics/attic.md.");
    expect(JSON.stringify(told?.messages.at(-1))).toContain("It is empty.");
    expect(asked).toEqual([]);
  },
);

test.each(revisions)(
  "[MEM-05] in %s an agent with a memory has Read, Write and Edit, whatever its definition lists or takes away, and one without has not",
  async (revision) => {
    for (const [definition, tools] of [
      [{ memory: "project", tools: ["Grep"] }, ["Edit", "Grep", "Read", "Write"]],
      [
        { memory: "project", tools: ["Grep", "Bash"], disallowedTools: ["Write"] },
        ["Bash", "Edit", "Grep", "Read", "Write"],
      ],
      [{ tools: ["Grep"] }, ["Grep"]],
    ] as const) {
      const { keepers, go } = await keeping(definition, undefined, { revision });
      await go();
      expect(toolsOf(keepers()[0])).toEqual(tools);
    }
  },
);

test("[MEM-02] git takes the project's memory and ignores the local one, from an agent's first look at it", async () => {
  const { cwd, define, place, go } = await keeping({ memory: "local" });
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", cwd, ...args], {
      encoding: "utf8",
      env: { PATH: String(process.env["PATH"]), HOME: cwd },
    });
  git("init", "-q");
  await go();
  put(join(place("local"), "MEMORY.md"), "mine");
  define("keeper", { memory: "project" });
  await go();
  put(join(place("project"), "MEMORY.md"), "ours");
  git("add", "-A");
  const tracked = git("ls-files")
    .split("\n")
    .filter((path) => path.includes("memory"));
  expect(tracked).toEqual([".claude/agent-memory/keeper/MEMORY.md"]);
  expect(git("status", "--porcelain", "--untracked-files=all")).not.toContain("local");
});

test.each(revisions)(
  "[ATP-DEF-010] in %s the first 200 lines of the memory, or 25,000 bytes of it, are in the system prompt, with a request to tidy where there are more",
  async (revision) => {
    const { place, keepers, go } = await keeping({ memory: "project" }, undefined, { revision });
    const file = join(place("project"), "MEMORY.md");
    const lines = (count: number, of = "line") =>
      Array.from({ length: count }, (_, at) => `${of} ${at + 1}.`).join("\n");
    for (const text of [lines(200), lines(201), lines(100, "x".repeat(490))]) {
      put(file, text);
      await go();
    }
    const [whole, cut, long] = keepers().map(toldIn);
    expect(whole).toContain(lines(200));
    expect(whole).not.toContain("Clean it up");
    expect(cut).toContain(`${lines(200)}\n\nOnly the beginning of ${file} is shown above: it has 201 lines`);
    expect(cut).toContain("Clean it up");
    expect(cut).not.toContain("line 201.");
    expect(long).toMatch(/x 50\.\n\nOnly the beginning of .*Clean it up/s);
  },
);

test("what is not a text of its own memory an agent changes as it changes other files: it asks", async () => {
  const tries = (directory: string) => [
    join(directory, "run.sh"),
    join(directory, "CLAUDE.md"),
    join(directory, ".claude", "x.md"),
    join(directory, "..", "other", "MEMORY.md"),
    join(directory, "..", "keeper.md"),
  ];
  const places = { directory: "" };
  const rule: Rule = ({ messages }) =>
    messages.length === 1 ? tries(places.directory).map((path) => write(path, "x")) : "A report.";
  const { asked, place, go } = await keeping({ memory: "project" }, rule);
  places.directory = place("project");
  await go();
  expect(asked).toHaveLength(5);
  expect(tries(places.directory).filter((path) => existsSync(path))).toEqual([]);
});

test("in plan mode, and below one that only plans, an agent does not change its memory; where nobody is asked it does", async () => {
  const places = { directory: "" };
  const rule: Rule = ({ messages }) =>
    messages.length === 1 ? write(join(places.directory, "MEMORY.md"), "x") : "A report.";
  for (const [mode, isWritten] of [
    ["plan", false],
    ["dontAsk", true],
  ] as const) {
    const { place, go, asked } = await keeping({ memory: "project" }, rule, { mode });
    places.directory = place("project");
    await go();
    expect([asked, existsSync(join(places.directory, "MEMORY.md"))]).toEqual([[], isWritten]);
  }
});

test("an agent of a folder that is not trusted is not shown the user's memory, which is told", async () => {
  const stage = await faked({
    rule: (request) =>
      firstWords(request) === "go" && request.messages.length === 1
        ? toolUse("Agent", { description: "keep", prompt: "keep", subagent_type: "keeper", run_in_background: false })
        : "Done.",
  });
  const { deps, define, trust, fake, cwd } = stage;
  define("keeper", { memory: "user" });
  put(join(agentMemory("user", "keeper", deps.machine.root, cwd), "MEMORY.md"), "of another project");
  const untrusted = opened(deps);
  await turn(untrusted, "go");
  expect(untrusted.problems.join("\n")).toMatch(/keeper\.md.*memory has no effect, since this folder is not trusted/);
  trust();
  await turn(opened(deps), "go");
  const told = fake.requests
    .map(sent)
    .filter((request) => firstWords(request) === "keep")
    .map(toldIn);
  expect(told.map((one) => one.includes("of another project"))).toEqual([false, true]);
});
