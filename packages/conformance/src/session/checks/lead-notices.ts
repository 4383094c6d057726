import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Fields } from "../../concurrency/documents.ts";
import { assertMatches, assertThat } from "../assert.ts";
import { countIn, toldTo } from "../conversation.ts";
import { type LeadStage, leadCheck } from "../lead-stage.ts";

const prompt = "agent:sub. Count the rules.";
const background = { run_in_background: true };

/** Lets an agent in the background report; the notification of it, from its first mark on. */
async function noticeOf({ lead, dialect, puppet, hears }: LeadStage): Promise<string> {
  const { delegate } = await dialect();
  const [launched] = await lead.does(delegate({ prompt, more: background }));
  assertThat(launched?.isError === false, "the agent was not started", launched);
  await puppet("sub").says("There are 214 rules.");
  const told = await hears("There are 214 rules.");
  return /<task-notification>.*?<\/task-notification>/s.exec(told)?.[0] ?? "";
}

/** The names of the children of a notification, in their order. */
function childrenOf(notice: string): readonly string[] {
  const inner = notice.replace(/^<task-notification>|<\/task-notification>$/g, "");
  return [...inner.matchAll(/<([a-z-]+)>.*?<\/\1>/gs)].map(([, name = ""]) => name);
}

const childIn = (notice: string, name: string): string | undefined =>
  new RegExp(`<${name}>(.*?)</${name}>`, "s").exec(notice)?.[1]?.trim();

/** The fields of the tool by which agents are started, as it is offered. */
async function agentFields({ lead }: LeadStage) {
  const { tools } = await lead.asked();
  const tool = tools.find(({ name }) => name === "Agent" || name === "Task");
  const { required = [], properties = {} } = (tool?.input_schema ?? {}) as { required?: string[]; properties?: Fields };
  return { required, names: Object.keys(properties) };
}

/** What a session is told of agents below it, and what it may ask of them. */
export const leadNoticeChecks = [
  leadCheck({
    id: "SUB-NOTE/a",
    level: "L5",
    title: "a notification has its seven children in their order, and a summary that names the agent",
    requirements: ["ATP-SUB-015"],
    revisions: ["2026-02"],
    async run(stage) {
      const notice = await noticeOf(stage);
      const wanted = ["task-id", "tool-use-id", "output-file", "status", "summary", "result", "usage"];
      assertMatches(
        "the children",
        childrenOf(notice).filter((name) => wanted.includes(name)),
        wanted,
      );
      assertMatches("the summary", childIn(notice, "summary"), { $match: '^Agent "[^"]+" completed' });
      assertMatches("the status", childIn(notice, "status"), "completed");
    },
  }),
  leadCheck({
    id: "SUB-NOTE/b",
    level: "L5",
    title: "a notification has its children in the order of the client",
    requirements: ["ATP-SUB-104"],
    revisions: ["2026-11"],
    async run(stage) {
      const notice = await noticeOf(stage);
      const order = [
        "task-id",
        "tool-use-id",
        "output-file",
        "status",
        "summary",
        "note",
        "result",
        "usage",
        "worktree",
      ];
      const found = childrenOf(notice).filter((name) => order.includes(name));
      assertMatches(
        "the children",
        found,
        order.filter((name) => found.includes(name)),
      );
      for (const name of ["task-id", "tool-use-id", "output-file", "status", "summary"])
        assertThat(found.includes(name), `it has no ${name}`, notice);
      for (const name of ["subagent_tokens", "tool_uses", "duration_ms"])
        assertThat(notice.includes(`<${name}>`), `its usage has no ${name}`, notice);
    },
  }),
  leadCheck({
    id: "SUB-FILE/a",
    level: "L5",
    title: "the output of an agent is a link to its transcript, which has its facts beside it",
    requirements: ["ATP-SUB-105"],
    revisions: ["2026-11"],
    async run(stage) {
      const notice = await noticeOf(stage);
      const path = childIn(notice, "output-file") ?? "";
      const id = childIn(notice, "task-id") ?? "";
      assertThat(path.endsWith(`tasks/${id}.output`), "the output file is not named after the agent", path);
      assertThat(lstatSync(path).isSymbolicLink(), "it is no link", path);
      const transcript = readlinkSync(path);
      assertMatches("where it leads", transcript, { $match: `subagents/agent-${id}\\.jsonl$` });
      assertThat(existsSync(transcript.replace(/\.jsonl$/, ".meta.json")), "the transcript has no facts beside it");
    },
  }),
  leadCheck({
    id: "SUB-STATUS/a",
    level: "L5",
    title: "a call that waits is answered by the report, one that does not by the id of the agent",
    requirements: ["ATP-SUB-004"],
    async run({ lead, dialect, puppet, until }) {
      const { delegate } = await dialect();
      const waits = delegate({ prompt: "agent:one. Count.", more: { run_in_background: false } });
      await lead.calls(waits);
      await puppet("one").says("There are 214 rules.");
      const told = toldTo(await until("the report", () => lead.isAsked() && lead.requests.at(-1)));
      assertThat(told.includes("There are 214 rules."), "the report is not the result", told.slice(-600));
      const [launched] = await lead.does(delegate({ prompt: "agent:two. Count.", more: background }));
      const { text = "" } = launched ?? {};
      assertThat(/agent_?id/i.test(text) && !text.includes("Count."), "the result does not name the agent", text);
      await puppet("two").asked();
    },
  }),
  leadCheck({
    id: "SUB-TEAM/a",
    level: "L5",
    title: "a call with a name and a team makes a teammate, and says so",
    requirements: ["ATP-SUB-003"],
    revisions: ["2026-02"],
    async run({ lead, dialect, makeTeam, post }) {
      const team = await makeTeam();
      const { spawn } = await dialect();
      const [result] = await lead.does(spawn({ name: "ann", prompt: "agent:ann. Begin.", team }));
      assertMatches("the member", post.member("ann"), { name: "ann" });
      assertThat(/spawned|teammate/i.test(result?.text ?? ""), "the result does not say so", result);
      assertThat((result?.text ?? "").includes(`ann@${team}`), "it does not name the member", result);
    },
  }),
  leadCheck({
    id: "SUB-TEAM/b",
    level: "L5",
    title: "a call with a name joins the team of the session, whatever team it names, and answers with id and name",
    requirements: ["ATP-SUB-103"],
    revisions: ["2026-11"],
    async run({ lead, dialect, makeTeam, post }) {
      await makeTeam();
      const { spawn } = await dialect();
      const [result] = await lead.does(spawn({ name: "ann", prompt: "agent:ann. Begin.", team: "of-others" }));
      assertMatches("the member", post.member("ann"), { name: "ann" });
      assertMatches("the result", result?.text, { $match: "agent_id: aann-[0-9a-f]{16}" });
      assertMatches("the result", result?.text, { $match: "name: ann" });
    },
  }),
  leadCheck({
    id: "SUB-INPUT/a",
    level: "L5",
    title: "agents are started by a description and a prompt, and what else there is is optional",
    requirements: ["ATP-SUB-016"],
    revisions: ["2026-02"],
    async run(stage) {
      const { required, names } = await agentFields(stage);
      assertMatches("what is required", required.toSorted(), ["description", "prompt"]);
      for (const name of ["subagent_type", "model", "run_in_background", "name", "team_name", "mode", "isolation"])
        assertThat(names.includes(name), `there is no ${name}`, names);
    },
  }),
  leadCheck({
    id: "SUB-INPUT/b",
    level: "L5",
    title: "agents are started by a description and a prompt; a name has letters, digits, _ and -",
    requirements: ["ATP-SUB-106"],
    revisions: ["2026-11"],
    async run(stage) {
      const { required, names } = await agentFields(stage);
      assertMatches("what is required", required.toSorted(), ["description", "prompt"]);
      for (const name of ["subagent_type", "model", "effort", "name", "isolation"])
        assertThat(names.includes(name), `there is no ${name}`, names);
      const { spawn } = await stage.dialect();
      const [result] = await stage.lead.does(spawn({ name: "not a name", prompt: "agent:odd. Begin." }));
      assertThat(result?.isError === true, "a name with spaces was taken", result);
    },
  }),
  leadCheck({
    id: "SUB-WAIT/a",
    level: "L5",
    title: "a call waits where it says so, and a session waits for agents that it does not wait for",
    requirements: ["ATP-SUB-101"],
    revisions: ["2026-11"],
    async run({ lead, dialect, puppet, never, session, hears }) {
      const { delegate } = await dialect();
      await lead.calls(delegate({ prompt: "agent:one. Count.", more: { run_in_background: false } }));
      await puppet("one").asked();
      await never("a result before the report", () => lead.isAsked());
      await puppet("one").says("There are 214 rules.");
      await lead.does(delegate({ prompt: "agent:two. Count." }));
      await puppet("two").asked();
      await lead.says("That is all.");
      await never("the end of the session", () => session.ended() !== undefined);
      await puppet("two").says("There are 31 tests.");
      await hears("There are 31 tests.");
    },
  }),
  leadCheck({
    id: "SUB-STOP/a",
    level: "L5",
    title: "to stop what does not run is an error",
    requirements: ["ATP-SUB-009"],
    async run(stage) {
      const id = childIn(await noticeOf(stage), "task-id") ?? "";
      const results = await stage.lead.does(
        ["TaskStop", { task_id: id }],
        ["TaskStop", { task_id: "a0000000000000000" }],
      );
      assertMatches(
        "which calls failed",
        results.map(({ isError }) => isError),
        [true, true],
      );
    },
  }),
  leadCheck({
    id: "SUB-SEND/a",
    level: "L5",
    title: "a message to an agent at work is told at its next step",
    requirements: ["ATP-SUB-008"],
    async run({ lead, dialect, puppet, cwd }) {
      const { delegate, send } = await dialect();
      const [launched] = await lead.does(delegate({ prompt, more: background }));
      const [, id = ""] = /agent_?id"?:\s*"?([\w-]+)/i.exec(launched?.text ?? "") ?? [];
      const sub = puppet("sub");
      await sub.asked();
      const [sent] = await lead.does(send(id, "Count the tests too."));
      assertThat(sent?.isError === false, "it was not sent", sent);
      await sub.does(["Read", { file_path: join(cwd, "notes.txt") }]);
      assertMatches("how often it is told", countIn(await sub.asked(), "Count the tests too."), 1);
    },
  }),
  leadCheck({
    id: "SUB-SEND/b",
    level: "L5",
    title: "a message to an agent that has ended lets it go on where it was, one to nobody fails",
    requirements: ["ATP-SUB-008"],
    async run(stage) {
      const id = childIn(await noticeOf(stage), "task-id") ?? "";
      const { send } = await stage.dialect();
      const [sent, lost] = await stage.lead.does(send(id, "And the tests?"), send("a0000000000000000", "Hello?"));
      assertThat(sent?.isError === false, "it was not sent", sent);
      assertThat(lost?.isError === true || /"success":\s*false/.test(lost?.text ?? ""), "one to nobody went", lost);
      const told = JSON.stringify((await stage.puppet("sub").asked()).messages);
      for (const words of ["Count the rules.", "There are 214 rules.", "And the tests?"])
        assertThat(told.includes(words), `it does not know: ${words}`, told.slice(-600));
    },
  }),
  leadCheck({
    id: "SUB-SEND/c",
    level: "L5",
    title: "who wakes an agent is told its id, and of its next end under the same id",
    requirements: ["ATP-SUB-108"],
    revisions: ["2026-11"],
    async run(stage) {
      const id = childIn(await noticeOf(stage), "task-id") ?? "";
      const { send } = await stage.dialect();
      const [sent] = await stage.lead.does(send(id, "And the tests?"));
      assertMatches("the result", JSON.parse(sent?.text ?? "{}"), { success: true, resumedAgentId: id });
      await stage.puppet("sub").says("There are 31 tests.");
      const told = await stage.hears("There are 31 tests.");
      assertMatches("how often its id was told of", told.split(`<task-id>${id}</task-id>`).length - 1, 2);
    },
  }),
  leadCheck({
    id: "SUB-DEEP/b",
    level: "L5",
    title: "agents start agents down to the third level",
    requirements: ["ATP-SUB-107"],
    revisions: ["2026-11"],
    async run({ lead, dialect, puppet }) {
      const { delegate } = await dialect();
      await lead.calls(delegate({ prompt: "agent:one. Go on." }));
      await puppet("one").calls(delegate({ prompt: "agent:two. Go on." }));
      await puppet("two").calls(delegate({ prompt: "agent:three. Go on." }));
      await puppet("three").asked();
      const [result] = await puppet("three").does(delegate({ prompt: "agent:four. Go on." }));
      assertThat(result?.isError === true, "a fourth level was begun", result);
      assertMatches("the requests of the fourth", puppet("four").requests.length, 0);
    },
  }),
  leadCheck({
    id: "SUB-MODE/a",
    level: "L5",
    title: "an agent may do no more than its session: in the mode default nobody's file is changed unasked",
    requirements: ["ATP-SUB-012"],
    async run({ lead, dialect, puppet, cwd }) {
      await lead.does((await dialect()).delegate({ prompt, more: background }));
      const path = join(cwd, "made.txt");
      const [result] = await puppet("sub").does(["Write", { file_path: path, content: "made" }]);
      assertThat(result?.isError === true && !existsSync(path), "the file was written", result);
    },
  }),
];
