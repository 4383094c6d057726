import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Participant, Team } from "@troupe/store";
import { openLedgerFile, openMembership, personMember } from "@troupe/team";
import { awaited, untilSeen } from "../../../scripts/awaited.ts";
import { expectSame } from "../checks.ts";
import { countsOf, markOf } from "../conversation.ts";
import { askToEnd } from "../puppet.ts";
import { makeTeam, type RealLead, startLead } from "../real-lead.ts";
import type { Given, Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";
import { lookAtTheirs, readOnlyWhy } from "./read-only.ts";

const each = 200;
const marks = (of: string) => Array.from({ length: each }, (_, n) => `<${of}-${String(n).padStart(3, "0")}>`);
export const ours = marks("ours");
const theirs = marks("theirs");

/** 1: their lead, and a member of ours from outside. */
export const memberOfOurs: Scenario = {
  id: "1",
  title: "their lead, a member of ours from outside (store and command line)",
  async run(given) {
    if (given.client.form === "between") {
      given.notApplicable(`${each} messages each way, tasks made by each, the end of the team`, readOnlyWhy);
      return lookAtTheirs(given);
    }
    const stage = await given.open();
    const lead = await startLead(stage, "--dangerously-skip-permissions", "--teammate-mode", "in-process");
    const name = await makeTeam(stage, lead);
    // A lead of 2026-11 looks at its mail only once it has added somebody itself.
    await lead.does(lead.dialect.spawn("helper", `${markOf("helper")} Wait.`, { team: name }));
    await given.check("joins by the command line", async () => {
      await stage.troupe("team", "join", name, "mate");
      const { members } = JSON.parse(await stage.troupe("team", "show", name, "--json"));
      const names = members.map((member: { name: string }) => member.name);
      expectSame("the members", names, ["team-lead", "helper", "mate"]);
      return undefined;
    });
    const team = await stage.store.openTeam(name);
    if (!team) throw new Error(`the store finds no team ${name}`);
    const mate = await team.as("mate");
    await sendToLead(given, stage, lead, team, mate);
    await given.check(`${each} messages of its model reach ours, each once`, () => hearFromLead(lead, mate));
    await shareTasks(given, stage, lead, team, mate);
    await end(given, stage, lead, team, mate);
  },
};

async function sendToLead({ check }: Given, stage: Stage, lead: RealLead, team: Team, mate: Participant) {
  await check(`${each} messages of ours are accepted`, async () => {
    for (const [n, mark] of ours.entries()) {
      if (n % 5 === 0) await stage.troupe("send", team.name, "team-lead", `note ${mark}`, "--as", "mate");
      else await mate.send("team-lead", { text: `note ${mark}`, summary: "note" });
    }
    return "160 by the store, 40 by the command line";
  });
  await check(`${each} messages of ours reach its model, each once`, async () => {
    // Also the last can be one that is missing.
    await lead.hears(ours.at(-1) ?? "").catch(() => {});
    return onceEach(lead.told(), ours);
  });
  // Of a later revision nothing is left in the file once it was read.
  if (team.form === "2026-02")
    await check(`${each} messages of ours stand in its inbox, each once`, async () => {
      const { value = [] } = await team.mail("team-lead").page();
      return onceEach(value.map(({ entry }) => entry.text).join("\n"), ours);
    });
}

/** Figures; fails where one is missing or comes twice. */
export function onceEach(text: string, wanted: readonly string[]): string {
  const counts = [...countsOf(text, wanted).values()];
  const [missing, twice] = [counts.filter((count) => count === 0).length, counts.filter((count) => count > 1).length];
  if (missing + twice > 0) throw new Error(`of ${wanted.length} ${missing} are missing and ${twice} come twice`);
  return `${wanted.length} of ${wanted.length}`;
}

export async function hearFromLead(lead: RealLead, mate: Participant): Promise<string> {
  const lease = await mate.receive();
  const heard: string[] = [];
  const over = new AbortController();
  const last = theirs.at(-1) ?? "";
  let again = 0;
  const hearing = (async () => {
    while (!over.signal.aborted && !heard.some((text) => text.includes(last))) {
      const messages = await lease.wait(over.signal);
      heard.push(...messages.map(({ entry }) => entry.text ?? ""));
      await lease.acknowledge(new Set(messages.map(({ key }) => key)));
    }
  })();
  try {
    for (let n = 0; n < each; n += 20) again += await sendAll(lead, theirs.slice(n, n + 20));
    await awaited("the last message of the lead", hearing, 20_000).catch(() => {});
    const figures = onceEach(heard.join("\n"), theirs);
    return again === 0 ? figures : `${figures}; ${again} were sent again, since it said that they were not`;
  } finally {
    over.abort();
    await hearing;
    await lease.release();
  }
}

/** Sends those again of which its tool says that nothing was sent; how many these were. */
async function sendAll(lead: RealLead, marks: readonly string[]): Promise<number> {
  const results = await lead.does(...marks.map((mark) => lead.dialect.send("mate", `note ${mark}`)));
  const unsent = marks.filter((_, nth) => /"success": ?false/.test(results[nth] ?? ""));
  return unsent.length === 0 ? 0 : unsent.length + (await sendAll(lead, unsent));
}

async function shareTasks(
  { check }: Given,
  stage: Stage,
  lead: RealLead,
  team: Team,
  mate: Participant,
): Promise<void> {
  const { name } = team;
  const statusOf = async (id: string) => (await team.tasks.get(id)).value?.status;
  await check("a task of its model is claimed and done by ours, and its model sees that", async () => {
    const [made = ""] = await lead.does(["TaskCreate", { subject: "Theirs", description: "made by the lead" }]);
    const id = /#(\d+)/.exec(made)?.[1] ?? "";
    await stage.troupe("task", "claim", name, id, "--as", "mate");
    await stage.troupe("task", "complete", name, id);
    const [list = ""] = await lead.does(["TaskList", {}]);
    const line = list.split("\n").find((one) => one.includes("Theirs")) ?? "";
    if (!line.includes("completed") || !line.includes("mate")) throw new Error(`its list says: ${list}`);
    return undefined;
  });
  await check("a task of ours is done by its model, and ours sees that", async () => {
    const { id } = await mate.tasks.create({ subject: "Ours", description: "made by a member" });
    await mate.tasks.update(id, { owner: "team-lead" });
    await lead.does(["TaskUpdate", { taskId: id, status: "in_progress" }]);
    expectSame("the status", await statusOf(id), "in_progress");
    await lead.does(["TaskUpdate", { taskId: id, status: "completed" }]);
    await untilSeen("the end of the task", async () => {
      const status = await statusOf(id);
      // The screen of later versions removes all tasks once the last of them is done.
      return status === "completed" || status === undefined;
    });
    return undefined;
  });
  await check("a task that its model gives to ours arrives as an assignment", async () => {
    const { id } = await team.tasks.create({ subject: "Given", description: "to be given" });
    await lead.does(["TaskUpdate", { taskId: id, owner: "mate" }]);
    const { value = [] } = await team.mail("mate").page();
    const texts = value.map(({ entry }) => entry.text ?? "");
    if (!texts.some((text) => text.includes('"task_assignment"') && text.includes("Given")))
      throw new Error(`the inbox holds no assignment: ${texts.slice(-3).join(" ")}`);
    await stage.troupe("task", "complete", name, id);
    return undefined;
  });
}

/** A member of ours ends as its lead asks, and the team with the lead. */
export async function end(given: Given, stage: Stage, lead: RealLead, team: Team, self: Participant): Promise<void> {
  await given.check("agrees to end when its model asks for it, and its model hears that", async () => {
    const ledger = await openLedgerFile({ path: join(stage.home, "mate.jsonl") });
    const mate = openMembership({
      team,
      self,
      lead: "team-lead",
      ledger: () => ledger,
      now: () => new Date(),
      newId: randomUUID,
      show: () => {},
    });
    const screen = { show: async () => {}, ask: async () => ({ behavior: "allow" }) as const, close: async () => {} };
    const attending = mate.attend(personMember({ ledger, screen }), new AbortController().signal);
    try {
      await lead.does(lead.dialect.askToEnd("mate"));
      await awaited("the member to end", attending);
      await lead.hears("shutdown_approved");
      const { value } = await team.config();
      expectSame("the members", value?.members.map((member) => member.name).includes("mate"), false);
    } finally {
      await mate.close();
      ledger.close();
    }
    return undefined;
  });
  await given.check("the end of the team is seen by ours", async () => {
    await endHelper(given, stage, lead, team);
    if (!lead.dialect.hasTeams) await lead.exit();
    const [said = "it left"] = lead.dialect.hasTeams ? await lead.does(lead.dialect.endTeam()) : [];
    const isGone = async () => !(await stage.store.openTeam(team.name));
    await untilSeen(`the end of the team (${said})`, isGone, 20_000);
    return undefined;
  });
}

async function endHelper({ client }: Given, { agent }: Stage, lead: RealLead, team: Team): Promise<void> {
  if (client.kind === "codebuddy") {
    // Its teammate agrees without its model once its work is done, and stays in the roster.
    await lead.does(lead.dialect.askToEnd("helper"));
    return lead.hears('"approve":true');
  }
  await askToEnd(lead, agent("helper"));
  const members = async () => (await team.config()).value?.members.map((member) => member.name) ?? [];
  const isGone = async () => !(await members()).includes("helper");
  // Without a teammate at work some leads look at their mail with their next turn alone.
  await untilSeen("the end of helper", isGone, 10_000).catch(() => lead.say("what is new"));
  await untilSeen("the end of helper", isGone);
}
