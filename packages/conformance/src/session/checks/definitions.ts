import { existsSync } from "node:fs";
import { join } from "node:path";
import { assertMatches, assertThat } from "../assert.ts";
import type { ModelRequest } from "../conversation.ts";
import { definition } from "../definition.ts";
import { type LeadStage, leadCheck } from "../lead-stage.ts";

const prompt = "agent:sub. Count the rules.";

/** The first request of an agent that the lead's model asks for by this type. */
async function requestOf({ lead, dialect, puppet }: LeadStage, type: string, more: object = {}): Promise<ModelRequest> {
  await lead.calls((await dialect()).delegate({ prompt, type, more }));
  return puppet("sub").asked();
}

const toolsOf = ({ tools }: ModelRequest): readonly string[] => tools.map(({ name }) => name);
const systemOf = ({ system }: ModelRequest): string => JSON.stringify(system ?? "");

/** Agents that a file describes, as far as the request to their model shows it. */
export const definitionChecks = [
  leadCheck({
    id: "DEF-FILE/a",
    level: "L5",
    title: "a file of agents is an agent: its front matter says which, its body is what its model is told first",
    requirements: ["ATP-DEF-001"],
    with: { rootFiles: definition("counter", "", "You count like a clerk.") },
    async run(stage) {
      const request = await requestOf(stage, "counter");
      assertThat(systemOf(request).includes("You count like a clerk."), "the body is not in its system prompt");
    },
  }),
  leadCheck({
    id: "DEF-FILE/b",
    level: "L5",
    title: "a definition without a name is none",
    requirements: ["ATP-DEF-002"],
    with: { rootFiles: { "agents/nameless.md": "---\ndescription: counts\n---\nYou count.\n" } },
    async run({ lead, dialect, puppet }) {
      const [result] = await lead.does((await dialect()).delegate({ prompt, type: "nameless" }));
      assertThat(result?.isError === true, "the call went through", result);
      assertMatches("the requests of it", puppet("sub").requests.length, 0);
    },
  }),
  leadCheck({
    id: "DEF-FILE/c",
    level: "L5",
    title: "a definition without a description is none",
    requirements: ["ATP-DEF-003"],
    with: { rootFiles: { "agents/silent.md": '---\nname: silent\ndescription: ""\n---\nYou count.\n' } },
    async run({ lead, dialect, puppet }) {
      const [result] = await lead.does((await dialect()).delegate({ prompt, type: "silent" }));
      assertThat(result?.isError === true, "the call went through", result);
      assertMatches("the requests of it", puppet("sub").requests.length, 0);
    },
  }),
  ...[
    ["a", '"Read, Grep, Task(counter)"'],
    ["b", "[Read, Grep]"],
  ].map(([letter, tools]) =>
    leadCheck({
      id: `DEF-TOOLS/${letter}`,
      level: "L5",
      title: `tools ${tools} are what it is offered, and no others that change files`,
      requirements: ["ATP-DEF-004"],
      with: { rootFiles: definition("reader", `tools: ${tools}`) },
      async run(stage) {
        const tools = toolsOf(await requestOf(stage, "reader"));
        for (const name of ["Read", "Grep"]) assertThat(tools.includes(name), `${name} is not offered`, tools);
        for (const name of ["Write", "Edit", "Bash"]) assertThat(!tools.includes(name), `${name} is offered`, tools);
      },
    }),
  ),
  leadCheck({
    id: "DEF-TOOLS/c",
    level: "L5",
    title: "of tools that are named and forbidden as well the forbidden ones are left out",
    requirements: ["ATP-DEF-005"],
    with: { rootFiles: definition("reader", "tools: Read, Bash\ndisallowedTools: Bash") },
    async run(stage) {
      const tools = toolsOf(await requestOf(stage, "reader"));
      assertMatches(
        "Read, Bash and Write",
        ["Read", "Bash", "Write"].map((name) => tools.includes(name)),
        [true, false, false],
      );
    },
  }),
  ...[
    ["a", "haiku", "haiku"],
    ["b", "claude-opus-4-1-20250805", "^claude-opus-4-1-20250805$"],
  ].map(([letter, model, wanted]) =>
    leadCheck({
      id: `DEF-MODEL/${letter}`,
      level: "L5",
      title: `an agent with model ${model} has it`,
      requirements: ["ATP-DEF-006"],
      with: { rootFiles: definition("counter", `model: ${model}`) },
      async run(stage) {
        assertMatches("the model", (await requestOf(stage, "counter")).model, { $match: wanted });
      },
    }),
  ),
  leadCheck({
    id: "DEF-MODEL/c",
    level: "L5",
    title: "an agent that inherits has the model of its session, and the model of a call comes before its own",
    requirements: ["ATP-DEF-006", "ATP-SUB-011"],
    with: { rootFiles: { ...definition("counter", "model: inherit"), ...definition("small", "model: haiku") } },
    async run(stage) {
      const { lead, dialect, puppet } = stage;
      const { model } = await lead.asked();
      const { delegate } = await dialect();
      const calls = [
        delegate({ prompt: "agent:one. Count.", type: "counter", more: { run_in_background: true } }),
        delegate({ prompt: "agent:two. Count.", type: "small", more: { model: "opus", run_in_background: true } }),
      ];
      await lead.calls(...calls);
      assertMatches("the model that it inherits", (await puppet("one").asked()).model, model);
      assertMatches("the model of the call", (await puppet("two").asked()).model, { $match: "opus" });
    },
  }),
  ...[
    ["a", "2026-02", ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "delegate"], "ATP-DEF-007"],
    [
      "b",
      "2026-11",
      ["default", "manual", "acceptEdits", "auto", "plan", "dontAsk", "bypassPermissions", "delegate"],
      "ATP-DEF-101",
    ],
  ].map(([letter, revision, modes, clause]) =>
    leadCheck({
      id: `DEF-MODE/${letter}`,
      level: "L5",
      title: "every public permission mode makes an agent that can be started",
      requirements: [clause as string],
      revisions: [revision as "2026-02"],
      with: {
        rootFiles: Object.assign(
          {},
          ...(modes as string[]).map((mode) => definition(`in-${mode.toLowerCase()}`, `permissionMode: ${mode}`)),
        ),
      },
      async run({ lead, dialect, puppet }) {
        const { delegate } = await dialect();
        const names = (modes as string[]).map((mode) => mode.toLowerCase());
        const more = { run_in_background: true };
        await lead.calls(
          ...names.map((name) => delegate({ prompt: `agent:${name}. Count.`, type: `in-${name}`, more })),
        );
        for (const name of names) await puppet(name).asked();
      },
    }),
  ),
  ...[
    ["c", "acceptEdits", true],
    ["d", "default", false],
    ["e", "dontAsk", false],
    ["f", "plan", false],
  ].map(([letter, mode, isDone]) =>
    leadCheck({
      id: `DEF-MODE/${letter}`,
      level: "L5",
      title: `in a session that accepts edits an agent in ${mode} ${isDone ? "edits" : "does not edit"} unasked`,
      requirements: ["ATP-DEF-007"],
      revisions: ["2026-02"],
      with: { mode: "acceptEdits", rootFiles: definition("scribe", `permissionMode: ${mode}`) },
      async run(stage) {
        await requestOf(stage, "scribe", { run_in_background: true });
        const path = join(stage.cwd, "made.txt");
        const [written] = await stage.puppet("sub").does(["Write", { file_path: path, content: "made\n" }]);
        assertMatches("whether it was refused, and is done", [written?.isError, existsSync(path)], [!isDone, isDone]);
      },
    }),
  ),
  leadCheck({
    id: "DEF-TURNS/a",
    level: "L5",
    title: "an agent is asked no more often than its maxTurns says",
    requirements: ["ATP-DEF-008"],
    with: { rootFiles: definition("brief", "maxTurns: 2") },
    async run(stage) {
      await requestOf(stage, "brief", { run_in_background: true });
      const sub = stage.puppet("sub");
      const read = ["Read", { file_path: join(stage.cwd, "notes.txt") }] as const;
      await sub.does(read);
      await sub.calls(read);
      await stage.never("a third question", () => sub.requests.length > 2);
    },
  }),
  leadCheck({
    id: "DEF-COLOR/a",
    level: "L5",
    title: "a colour that is none only warns",
    requirements: ["ATP-DEF-014"],
    with: { rootFiles: definition("bright", "color: ultraviolet") },
    run: async (stage) => void (await requestOf(stage, "bright")),
  }),
  leadCheck({
    id: "DEF-LOOSE/a",
    level: "L5",
    title: "front matter that nobody knows is ignored",
    requirements: ["ATP-DEF-015"],
    with: { rootFiles: definition("odd", "of-tomorrow: [1, 2]\nnested: {deep: true}", "You count.") },
    async run(stage) {
      assertThat(systemOf(await requestOf(stage, "odd")).includes("You count."), "it is another agent");
    },
  }),
  leadCheck({
    id: "DEF-TWICE/a",
    level: "L5",
    title: "of two definitions of one name one is kept",
    requirements: ["ATP-DEF-016"],
    with: {
      rootFiles: definition("twin", "", "You are of the user."),
      projectFiles: Object.fromEntries(
        Object.entries(definition("twin", "", "You are of the project.")).map(([path, text]) => [
          `.claude/${path}`,
          text,
        ]),
      ),
    },
    async run(stage) {
      const system = systemOf(await requestOf(stage, "twin"));
      const found = ["You are of the user.", "You are of the project."].filter((words) => system.includes(words));
      assertThat(found.length === 1, "it is not one of the two", found);
    },
  }),
  leadCheck({
    id: "DEF-MCP/a",
    level: "L5",
    title: "an agent that needs an MCP server that is not there fails clearly",
    requirements: ["ATP-DEF-017"],
    with: { rootFiles: definition("caller", "requiredMcpServers: [nowhere]") },
    async run({ lead, dialect, puppet }) {
      const [result] = await lead.does((await dialect()).delegate({ prompt, type: "caller" }));
      assertThat(result?.isError === true, "the call went through", result);
      assertThat(/nowhere|caller/.test(result?.text ?? ""), "it does not say what is missing", result);
      assertMatches("the requests of it", puppet("sub").requests.length, 0);
    },
  }),
  leadCheck({
    id: "DEF-JSON/a",
    level: "L5",
    title: "a definition on the command line says the same as a file",
    requirements: ["ATP-DEF-018"],
    with: {
      flags: [
        "--agents",
        JSON.stringify({
          counter: {
            description: "counts",
            prompt: "You count aloud.",
            tools: ["Read"],
            model: "haiku",
            color: "green",
          },
        }),
      ],
    },
    async run(stage) {
      const request = await requestOf(stage, "counter");
      assertThat(systemOf(request).includes("You count aloud."), "its prompt is not in its system prompt");
      assertMatches("its model", request.model, { $match: "haiku" });
      const tools = toolsOf(request);
      assertThat(tools.includes("Read") && !tools.includes("Bash"), "it has other tools", tools);
      assertThat(!existsSync(join(stage.cwd, "agents")), "a file was made of it");
    },
  }),
];
