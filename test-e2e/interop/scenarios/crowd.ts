import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type MessagesRequest, type Reply, toolUse } from "@troupe/fake-anthropic";
import type { Running } from "@troupe/process";
import { awaited, untilSeen } from "../../../scripts/awaited.ts";
import { markOf, toldTo } from "../conversation.ts";
import { type Crowd, checkCrowd } from "../crowd/balance.ts";
import { watchFiles } from "../crowd/torn.ts";
import { markFrom, startAdapter, startInbox, tasks, type Writer } from "../crowd/writers.ts";
import { dialectOf } from "../dialect.ts";
import { flagsOf } from "../our-teammate.ts";
import { makeTeam, type RealLead, startLead } from "../real-lead.ts";
import type { Given, Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";
import { readOnlyWhy } from "./read-only.ts";

const what = "a lead of theirs, a teammate of ours, and four writers of other makes";

/** 4: many writers at once. */
export const crowd: Scenario = {
  id: "4",
  title: "their lead, a teammate of ours that is killed and resumed, four foreign writers, one of them in place",
  async run(given) {
    const { client } = given;
    if (client.form === "between") return given.notApplicable(what, readOnlyWhy);
    if (client.kind === "codebuddy")
      return given.notApplicable(what, "it takes no lock, so that whatever anybody writes beside it can be gone (1)");
    await amongMany(given, true);
  },
};

/** The same without us: their teammate in the place of ours. */
export const crowdWithoutUs: Scenario = {
  id: "control-4",
  title: "their lead, a teammate of theirs in a pane, four foreign writers: nothing of Troupe",
  run: (given) => amongMany(given, false),
};

async function amongMany(given: Given, isOurs: boolean): Promise<void> {
  const until = { over: false };
  const stage = await given.open({
    answer: (name, request) => (name === "ann" && !until.over ? turnOf(request) : undefined),
  });
  const { lead, team, ann } = await gathered(stage, isOurs);
  const torn = watchFiles(stage.root, team.name);
  const deps = { stage, repository: given.repository, team: team.name, pauseMs: 500 };
  const all = ["ann", "sink", "team-lead"];
  const writers = [
    await startAdapter({ ...deps, name: "py" }, "python", all),
    await startAdapter({ ...deps, name: "pl" }, "perl", all),
    startInbox({ ...deps, name: "inplace" }, "in-place", "ann"),
    startInbox({ ...deps, name: "renaming" }, "by-rename", "sink"),
  ];
  const end = Date.now() + given.minutes * 60_000;
  const leading = speak(lead, () => Date.now() < end);
  const kills = isOurs ? await ann.killedTwice(end) : 0;
  const led = await leading;
  for (const one of writers) await one.stop();
  until.over = true;
  const crowd: Crowd = { stage, team, lead, isOurs, kills, writers: [...writers, led], torn };
  await atRest(crowd);
  await checkCrowd(given, crowd);
}

/** The team, before anybody writes. */
async function gathered(stage: Stage, isOurs: boolean) {
  const mode = ["--dangerously-skip-permissions", "--teammate-mode", isOurs ? "in-process" : "tmux"];
  const lead = await startLead(stage, ...mode);
  const name = await makeTeam(stage, lead);
  const greeting = `${markOf("ann")} I am ann.`;
  // A lead of 2026-11 looks at its mail only once it has added somebody itself.
  const first = isOurs ? lead.dialect.spawn("helper", `${markOf("helper")} Wait.`, { team: name }) : undefined;
  await lead.does(first ?? lead.dialect.spawn("ann", greeting, { team: name }));
  const others = [...(isOurs ? ["ann"] : []), "sink", "py", "pl", "inplace", "renaming"];
  for (const one of others) await stage.troupe("team", "join", name, one);
  const ann = isOurs ? startOurs(stage, name) : { killedTwice: async () => 0 };
  if (isOurs) await lead.does(lead.dialect.send("ann", greeting));
  const heard = stage.agent("ann").seen((request) => toldTo(request).includes("I am ann."));
  await awaited("the first word to ann", heard);
  const team = await stage.store.openTeam(name);
  if (!team) throw new Error(`the store finds no team ${name}`);
  // The writers at one inbox find it there.
  for (const to of ["sink", "ann"]) await (await team.as("team-lead")).send(to, { text: "hello" });
  return { lead, team, ann };
}

/** Ours: killed without warning a third and two thirds of the way, and resumed by its session. */
function startOurs(stage: Stage, team: string) {
  const sessionId = randomUUID();
  const start = (): Running => stage.startTroupe(["teammate", ...flagsOf("ann", team), "--session-id", sessionId]);
  let running = start();
  const ann = stage.agent("ann");
  return {
    async killedTwice(end: number): Promise<number> {
      const third = (end - Date.now()) / 3;
      for (let kills = 1; kills <= 2; kills += 1) {
        await delay(third);
        if (running.pid !== undefined) process.kill(running.pid, "SIGKILL");
        await awaited("the end of ann", running.ended);
        const before = ann.requests.length;
        running = start();
        await untilSeen("ann at work again", () => ann.requests.length > before);
      }
      return 2;
    },
  };
}

/** The model of ann: with each mail a message to the lead, one to the sink, and a task. */
function turnOf(request: MessagesRequest): Reply | undefined {
  const { content = [] } = request.messages.at(-1) ?? {};
  if (content.some(({ type }) => type === "tool_result")) return undefined;
  const said = request.messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const n = said.filter(({ type }) => type === "tool_use").length;
  const dialect = dialectOf(request);
  const note = (at: number) => markFrom("ann", n + at);
  return [
    toolUse(...dialect.send("team-lead", `note ${note(0)}`)),
    toolUse(...dialect.send("sink", `note ${note(1)}`)),
    toolUse("TaskCreate", { subject: note(2), description: "d" }),
  ];
}

/** The lead's model, as long as it may: two messages and a task at a time. */
async function speak(lead: RealLead, isOn: () => boolean): Promise<Pick<Writer, "name" | "sent" | "refused">> {
  const sent: Record<string, string[]> = { ann: [], sink: [], [tasks]: [] };
  const refused: string[] = [];
  for (let n = 0; isOn(); n += 3) {
    const calls = [
      ["ann", lead.dialect.send("ann", `note ${markFrom("lead", n)}`)],
      ["sink", lead.dialect.send("sink", `note ${markFrom("lead", n + 1)}`)],
      [tasks, ["TaskCreate", { subject: markFrom("lead", n + 2), description: "d" }]],
    ] as const;
    const results = await lead.does(...calls.map(([, call]) => call));
    for (const [at, [place]] of calls.entries()) {
      const result = results[at] ?? "";
      if (/"success": ?true|Task #\d+ created/.test(result)) sent[place]?.push(markFrom("lead", n + at));
      else refused.push(result);
    }
  }
  return { name: "lead", sent, refused };
}

/** Nothing waits any more that is still going to be read. */
async function atRest({ team, stage }: Crowd): Promise<void> {
  const waits = async (name: string) => {
    const { value = [] } = await team.mail(name).page();
    return value.filter(({ entry }) => entry.read !== true).length;
  };
  for (const name of ["ann", "team-lead"])
    await untilSeen(`the last mail of ${name}`, async () => (await waits(name)) === 0, 30_000).catch(() => {});
  const asked = () => stage.agent("ann").requests.length + stage.agent("team-lead").requests.length;
  for (let before = -1; before !== asked(); await delay(3_000)) before = asked();
}
