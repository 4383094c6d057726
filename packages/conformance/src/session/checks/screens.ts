import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { assertMatches, assertThat } from "../assert.ts";
import { countIn, toldTo } from "../conversation.ts";
import { leadCheck } from "../lead-stage.ts";

const prompt = "agent:sub. Count the rules.";
const isAtScreen = true;

/** Sessions with a person before them, who types into a pane. */
export const screenChecks = [
  leadCheck({
    id: "SCREEN-ORDER/a",
    level: "L5",
    title: "what a person types while a turn goes on is told before a notice that waits already",
    requirements: ["ATP-SUB-010"],
    with: { isAtScreen },
    async run({ lead, dialect, puppet, seat, never, until }) {
      await lead.does((await dialect()).delegate({ prompt, more: { run_in_background: true } }));
      await lead.asked();
      const sub = puppet("sub");
      await sub.asked();
      await sub.says("There are 214 rules.");
      await never("another question to its model", () => sub.isAsked());
      await seat.types("Read rule 3 first.");
      // What was typed is read by the time that results of tools have come back.
      for (const _ of [1, 2]) await lead.does(["TaskList", {}]);
      await lead.says("I am done.");
      const told = await until("the words and the notice", () => {
        const words = toldTo(lead.requests.at(-1) ?? { messages: [] });
        if (words.includes("Read rule 3 first.") && words.includes("There are 214 rules.")) return words;
        if (lead.isAsked()) lead.says("I wait.").catch(() => {});
        return undefined;
      });
      const places = ["Read rule 3 first.", "There are 214 rules."].map((words) => told.indexOf(words));
      assertThat((places[0] ?? 0) < (places[1] ?? 0), "the notice was told first", told.slice(-800));
    },
  }),
  leadCheck({
    id: "SCREEN-WAKE/a",
    title: "a message wakes a lead that waits for a person, and is told once",
    requirements: ["ATP-SND-010", "ATP-SND-011"],
    with: { isAtScreen, backend: "in-process" },
    async run({ spawn, lead, dialect, never }) {
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      const { send } = await dialect();
      await lead.says("I wait.");
      await never("another question to the model of the lead", () => lead.isAsked());
      await ann.does(send("team-lead", "The grammar has 214 rules."));
      assertMatches("how often it was told", countIn(await lead.asked(), "The grammar has 214 rules."), 1);
    },
  }),
  leadCheck({
    id: "SCREEN-TEAM/a",
    title: "a session at a screen leads one team from the start, named after its id, with an empty task directory",
    requirements: ["ATP-FS-101"],
    revisions: ["2026-11"],
    with: { isAtScreen },
    async run({ lead, post, until }, { root }) {
      await lead.asked();
      const team = await until("a team in the files", () => post.team());
      assertMatches("the team", team, `session-${String(post.config()["leadSessionId"]).slice(0, 8)}`);
      const files = readdirSync(join(root, "tasks", team)).filter((name) => name.endsWith(".json"));
      assertMatches("its tasks", files, []);
      const offered = (await lead.asked()).tools.map(({ name }) => name).filter((name) => name.startsWith("Team"));
      assertMatches("the calls that make or delete a team", offered, []);
    },
  }),
  leadCheck({
    id: "SCREEN-ASYNC/a",
    level: "L5",
    title: "at a screen the call of an agent is answered while that works, whatever it says",
    requirements: ["ATP-SUB-101"],
    revisions: ["2026-11"],
    with: { isAtScreen },
    async run({ lead, dialect, puppet }) {
      const [result] = await lead.does((await dialect()).delegate({ prompt, more: { run_in_background: false } }));
      assertThat(result?.isError === false, "the agent was not started", result);
      await puppet("sub").asked();
    },
  }),
  leadCheck({
    id: "SCREEN-JOIN/a",
    level: "L5",
    title: "at a screen a named call joins the session's team, whatever team it names, and is answered with both names",
    requirements: ["ATP-SUB-103"],
    revisions: ["2026-11"],
    with: { isAtScreen, backend: "in-process" },
    async run({ lead, dialect, puppet, post }) {
      const { spawn } = await dialect();
      const wish = { name: "ann", prompt: "agent:ann. Begin.", team: "another", mode: "plan" };
      const [result] = await lead.does(spawn(wish));
      await puppet("ann").asked();
      assertMatches("the member", post.member("ann"), { name: "ann", planModeRequired: false });
      assertThat(/aann-[0-9a-f]{16}/.test(result?.text ?? ""), "the result has no agent_id", result);
      assertThat(/\bann\b/.test(result?.text ?? ""), "the result has no name", result);
    },
  }),
  leadCheck({
    id: "SCREEN-ASK/a",
    level: "L4",
    title:
      "what a teammate beside its lead needs permission for is asked on the lead's screen, and no entry is written",
    requirements: ["ATP-PRM-103"],
    revisions: ["2026-11"],
    with: { isAtScreen, backend: "in-process" },
    async run({ spawn, until, seat, post, cwd, lead }) {
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      await lead.says("I wait.");
      await ann.calls(["Bash", { command: "touch made-by-ann.txt", description: "make a file" }]);
      await until("the command on the screen", () => seat.shown().includes("touch made-by-ann.txt"));
      const asking = post.to("team-lead").filter(({ body }) => body["type"] === "permission_request");
      assertMatches("the entries in the inbox of the lead", asking, []);
      assertThat(!existsSync(join(cwd, "made-by-ann.txt")), "it was run without an answer");
    },
  }),
  leadCheck({
    id: "SCREEN-PANE/a",
    title: "a lead at a screen inside tmux starts its teammates in panes beside its own, and goes on in it",
    requirements: ["ATP-BCK-001", "ATP-BCK-003"],
    with: { isAtScreen, backend: "tmux" },
    async run({ spawn, paneOf, panes, seat, lead, until }) {
      await spawn({ name: "ann", prompt: "Begin." });
      const { id } = await paneOf("ann");
      assertThat(id !== panes.lead, "it is the pane of the lead", id);
      await lead.says("I wait.");
      await seat.types("And now?");
      await until("what was typed", () => toldTo(lead.requests.at(-1) ?? { messages: [] }).includes("And now?"));
    },
  }),
  leadCheck({
    id: "SCREEN-CLOSED/a",
    title: "a lead whose terminal is closed takes the panes that it made along, and no others",
    requirements: ["ATP-BCK-105"],
    revisions: ["2026-11"],
    with: { isAtScreen, backend: "tmux" },
    async run({ spawn, paneOf, panes, seat, lead, until }) {
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      const { id } = await paneOf("ann");
      const other = panes.split();
      await ann.says("Done.");
      await lead.says("I wait.");
      seat.closes();
      await until("the end of its pane", () => !panes.all().some((pane) => pane.id === id), { mayOutlive: true });
      assertThat(
        panes.all().some((pane) => pane.id === other),
        "a pane of somebody else is gone",
        panes.all(),
      );
    },
  }),
];
