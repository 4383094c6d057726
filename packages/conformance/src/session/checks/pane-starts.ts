import { existsSync } from "node:fs";
import { join } from "node:path";
import { assertKeys, assertMatches, assertThat } from "../assert.ts";
import { countIn } from "../conversation.ts";
import { type LeadStage, leadCheck } from "../lead-stage.ts";
import { environmentOf, flagIn, wordsOf } from "../panes.ts";

/** The words that the program in the pane of ann was started with. */
async function wordsOfAnn(stage: LeadStage, mode?: string): Promise<readonly string[]> {
  await stage.spawn({ name: "ann", prompt: "Begin.", ...(mode !== undefined && { mode }) });
  return wordsOf((await stage.paneOf("ann")).pid);
}

const flagsIn = (words: readonly string[]): readonly string[] => words.filter((word) => word.startsWith("--"));
const inTmux = { isInTmux: true };

/** Teammates that a lead starts in panes of the tmux that it is in. */
export const paneStartChecks = [
  leadCheck({
    id: "PANE-SPLIT/a",
    title: "inside tmux a spawn adds a pane beside the lead's, and the config has its id",
    requirements: ["ATP-BCK-002"],
    revisions: ["2026-02"],
    with: inTmux,
    async run({ spawn, panes, paneOf, post }) {
      await spawn({ name: "ann", prompt: "Begin." });
      const { id } = await paneOf("ann");
      assertThat(id !== panes.lead, "it is the pane of the lead", id);
      assertMatches("the member", post.member("ann"), { backendType: "tmux", tmuxPaneId: { $match: "^%[0-9]+$" } });
      assertMatches("how many panes there are", panes.all().length, 2);
    },
  }),
  leadCheck({
    id: "PANE-SPLIT/b",
    title: "panes are added in the server of the lead, which keeps 30 % of the width, and bear the names",
    requirements: ["ATP-BCK-101"],
    revisions: ["2026-11"],
    with: inTmux,
    async run({ spawn, panes, paneOf, until }) {
      for (const name of ["ann", "bob"]) await spawn({ name, prompt: "Begin." });
      for (const name of ["ann", "bob"]) assertMatches(`the title of ${name}'s pane`, (await paneOf(name)).title, name);
      await until("a lead's pane of 30 % of 200 columns", () =>
        panes.all().some(({ id, width }) => id === panes.lead && width >= 57 && width <= 63),
      );
    },
  }),
  leadCheck({
    id: "PANE-DISPLAY/a",
    title: "where teammates are shown can be chosen: in-process also inside tmux",
    requirements: ["ATP-BCK-011"],
    with: { isInTmux: true, backend: "in-process" },
    async run({ spawn, panes, post }) {
      await spawn({ name: "ann", prompt: "Begin." });
      assertMatches("the member", post.member("ann"), { backendType: "in-process" });
      assertMatches("how many panes there are", panes.all().length, 1);
    },
  }),
  leadCheck({
    id: "PANE-DISPLAY/b",
    title: "where teammates are shown can be chosen: in panes of tmux",
    requirements: ["ATP-BCK-011"],
    with: { isInTmux: true, backend: "tmux" },
    async run({ spawn, paneOf, post }) {
      await spawn({ name: "ann", prompt: "Begin." });
      assertMatches("the member", post.member("ann"), { backendType: "tmux" });
      await paneOf("ann");
    },
  }),
  leadCheck({
    id: "PANE-FLAGS/a",
    title: "the program in a pane is told by flags who it is",
    requirements: ["ATP-BCK-003"],
    with: inTmux,
    async run(stage, context) {
      const words = await wordsOfAnn(stage);
      const team = stage.post.team() ?? "";
      const session = stage.post.config()["leadSessionId"];
      const wanted = {
        "--agent-id": `ann@${team}`,
        "--agent-name": "ann",
        "--team-name": team,
        "--agent-color": "blue",
        "--parent-session-id": session,
        "--agent-type": "general-purpose",
        "--model": { $match: "." },
      };
      assertThat(typeof session === "string", "the config names no session of the lead", context.revision);
      const found = Object.fromEntries(Object.keys(wanted).map((flag) => [flag, flagIn(words, flag)]));
      assertMatches("the flags", found, wanted);
    },
  }),
  leadCheck({
    id: "PANE-FLAGS/b",
    title:
      "the flags stand in the order of the reference client, the mode is the lead's, and that of the call does nothing",
    requirements: ["ATP-BCK-102"],
    revisions: ["2026-11"],
    with: { isInTmux: true, mode: "acceptEdits" },
    async run(stage) {
      const words = await wordsOfAnn(stage, "plan");
      const known = ["--agent-id", "--agent-name", "--team-name", "--agent-color", "--parent-session-id"];
      const further = ["--lead-verify-key", "--plan-mode-required", "--agent-type"];
      const last = ["--dangerously-skip-permissions", "--permission-mode", "--model"];
      const all = [...known, ...further, ...last];
      const found = flagsIn(words).filter((flag) => all.includes(flag));
      const wanted = [...known, ...further.filter((flag) => found.includes(flag)), "--permission-mode", "--model"];
      assertKeys("the flags", Object.fromEntries(found.map((flag) => [flag, true])), wanted);
      assertMatches("the mode", flagIn(words, "--permission-mode"), "acceptEdits");
      assertThat(!words.includes("--plan-mode-required"), "the mode of the call had an effect", words);
    },
  }),
  leadCheck({
    id: "PANE-PLAN/a",
    title: "a teammate must plan by its flags if it was spawned with mode plan, and else not",
    requirements: ["ATP-BCK-004"],
    revisions: ["2026-02"],
    with: inTmux,
    async run(stage) {
      const words = await wordsOfAnn(stage, "plan");
      assertThat(words.includes("--plan-mode-required"), "it is not told to plan", words);
      await stage.spawn({ name: "bob", prompt: "Begin." });
      const others = wordsOf((await stage.paneOf("bob")).pid);
      assertThat(!others.includes("--plan-mode-required"), "one without that mode must plan", others);
    },
  }),
  leadCheck({
    id: "PANE-PLAN/b",
    title: "the teammates of a lead in plan mode must plan, by the config as by their flags",
    requirements: ["ATP-BCK-102", "ATP-MEM-107"],
    revisions: ["2026-11"],
    with: { isInTmux: true, mode: "plan" },
    async run(stage) {
      const words = await wordsOfAnn(stage);
      assertThat(words.includes("--plan-mode-required"), "it is not told to plan", words);
      assertMatches("its mode", flagIn(words, "--permission-mode"), "plan");
      assertMatches("the member", stage.post.member("ann"), { planModeRequired: true });
    },
  }),
  leadCheck({
    id: "PANE-PLAN/c",
    title: "the mode of a call makes no teammate plan",
    requirements: ["ATP-MEM-107"],
    revisions: ["2026-11"],
    async run({ spawn, post }) {
      await spawn({ name: "ann", prompt: "Begin.", mode: "plan" });
      assertMatches("the member", post.member("ann"), { planModeRequired: false });
    },
  }),
  ...["delegate", "acceptEdits"].map((mode, index) =>
    leadCheck({
      id: `PANE-MODE/${"ab"[index]}`,
      title: `a teammate that is spawned with mode ${mode} is started with acceptEdits`,
      requirements: ["ATP-BCK-005"],
      revisions: ["2026-02"],
      with: { isInTmux: true, mode: "acceptEdits" },
      async run(stage) {
        assertMatches("its mode", flagIn(await wordsOfAnn(stage, mode), "--permission-mode"), "acceptEdits");
      },
    }),
  ),
  leadCheck({
    id: "PANE-MODE/c",
    title: "a teammate skips permissions where it was spawned so by a lead that does",
    requirements: ["ATP-BCK-006"],
    revisions: ["2026-02"],
    with: { isInTmux: true, mode: "bypassPermissions" },
    async run(stage) {
      const words = await wordsOfAnn(stage, "bypassPermissions");
      assertThat(words.includes("--dangerously-skip-permissions"), "it is not started so", words);
    },
  }),
  leadCheck({
    id: "PANE-MODE/d",
    title: "a teammate of a lead that asks does not skip permissions",
    requirements: ["ATP-BCK-006"],
    revisions: ["2026-02"],
    with: inTmux,
    async run(stage) {
      const words = await wordsOfAnn(stage);
      assertThat(!words.includes("--dangerously-skip-permissions"), "it is started so", words);
    },
  }),
  leadCheck({
    id: "PANE-SHELL/a",
    title: "no shell reads what a teammate is told",
    requirements: ["ATP-BCK-007"],
    with: inTmux,
    async run({ spawn, cwd }) {
      const words = "Read `touch a` $(touch b) 'c' \"d\" \\e; touch f #";
      const ann = await spawn({ name: "ann", prompt: words });
      assertMatches("how often it was told", countIn(await ann.asked(), words), 1);
      for (const name of "abf") assertThat(!existsSync(join(cwd, name)), `a shell made ${name}`);
    },
  }),
  leadCheck({
    id: "PANE-SHELL/b",
    title: "no shell reads the name of a teammate",
    requirements: ["ATP-BCK-007"],
    revisions: ["2026-02"],
    with: inTmux,
    async run({ lead, makeTeam, dialect, puppet, paneOf }) {
      const [team, name] = [await makeTeam(), "ann;$PPID'"];
      const { spawn } = await dialect();
      const [result] = await lead.does(spawn({ name, prompt: "agent:ann. Begin.", team }));
      assertThat(result?.isError === false, "it was not started", result);
      await puppet("ann").asked();
      assertMatches("its name", flagIn(wordsOf((await paneOf(name)).pid), "--agent-name"), name);
    },
  }),
  leadCheck({
    id: "PANE-ENV/a",
    title: "who a teammate is stands in its flags and not in its environment, and its commands see the four variables",
    requirements: ["ATP-BCK-008"],
    revisions: ["2026-02"],
    with: { isInTmux: true, mode: "bypassPermissions" },
    async run({ spawn, paneOf, post }) {
      const ann = await spawn({ name: "ann", prompt: "Begin.", mode: "bypassPermissions" });
      const { id, pid } = await paneOf("ann");
      const team = post.team() ?? "";
      const told = Object.entries(environmentOf(pid)).filter(([, value]) =>
        ["ann", `ann@${team}`, team].includes(value),
      );
      assertMatches("the variables that say who it is", told, []);
      const [result] = await ann.does(["Bash", { command: "env", description: "look" }]);
      const lines = (result?.text ?? "").split("\n");
      const set = { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1", CLAUDECODE: "1", CLAUDE_CODE_ENTRYPOINT: "cli" };
      for (const [name, value] of Object.entries({ ...set, TMUX_PANE: id }))
        assertThat(lines.includes(`${name}=${value}`), `its commands do not see ${name}=${value}`, lines);
    },
  }),
  leadCheck({
    id: "PANE-ENV/b",
    title:
      "the commands of a teammate see the two variables of the client, and its key is in no words that all can see",
    requirements: ["ATP-BCK-104"],
    revisions: ["2026-11"],
    with: { isInTmux: true, mode: "bypassPermissions" },
    async run({ spawn, paneOf }) {
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      const { pid, command } = await paneOf("ann");
      for (const words of [wordsOf(pid).join(" "), command])
        assertThat(!words.includes("of-no-use"), "the key stands in its words", words);
      const values = Object.values(environmentOf(pid));
      assertThat(values.includes("of-no-use"), "the key does not stand in its environment");
      const [result] = await ann.does(["Bash", { command: "env", description: "look" }]);
      const lines = (result?.text ?? "").split("\n");
      for (const line of ["CLAUDECODE=1", "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS=1"])
        assertThat(lines.includes(line), `its commands do not see ${line}`, lines);
    },
  }),
  leadCheck({
    id: "PANE-KEY/a",
    title: "who passes a key to verify by signs what it writes, the first message too",
    requirements: ["ATP-BCK-103"],
    revisions: ["2026-11"],
    with: inTmux,
    async run(stage) {
      const words = await wordsOfAnn(stage);
      const isSigned = stage.post.to("ann").every(({ entry }) => typeof entry["lead_sig"] === "string");
      assertThat(!words.includes("--lead-verify-key") || isSigned, "it passes a key, and signs nothing", words);
    },
  }),
  leadCheck({
    id: "PANE-FIRST/a",
    title: "the first entry of the inbox of a teammate in a pane is its prompt, from the lead, and nothing else",
    requirements: ["ATP-INB-010"],
    with: inTmux,
    async run({ spawn, post }) {
      await spawn({ name: "ann", prompt: "Count the rules." });
      const none = { $absent: true };
      const wanted = { from: "team-lead", text: { $match: "Count the rules\\.$" }, summary: none, color: none };
      assertMatches("the first entry", post.to("ann")[0]?.entry, wanted);
    },
  }),
  leadCheck({
    id: "PANE-TWICE/a",
    title: "a member is registered before it has a place, and gets its pane and backend by a second write",
    requirements: ["ATP-MEM-103"],
    revisions: ["2026-11"],
    with: inTmux,
    async run({ spawn, post, paneOf }) {
      await spawn({ name: "ann", prompt: "Begin." });
      const { id } = await paneOf("ann");
      const states = post.statesOf("ann");
      assertMatches("as it was seen first", states[0], { tmuxPaneId: "", backendType: { $absent: true } });
      assertMatches("as it is", states.at(-1), { tmuxPaneId: id, backendType: "tmux" });
    },
  }),
];
