import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { layoutOf, type TeamConfig } from "@troupe/protocol";
import type { Team } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import { expect, test } from "vitest";
import { callBy } from "../../test/calls.ts";
import { toolUse, words } from "../../test/entries.ts";
import { atWork, endsBy, inboxIn, type Member, member, send } from "../../test/members.ts";
import { scratch } from "../../test/scratch.ts";
import { mate } from "../../test/task-callers.ts";
import { type Crew, until } from "../../test/team.ts";
import type { Block } from "../model/model.ts";
import type { Script } from "../model/scripted.ts";
import { teamCreateTool } from "../tools/team-create.ts";
import { teamDeleteTool } from "../tools/team-delete.ts";

const done = [words("done")];

/** Says the lines of the cue it was told last, and then that it is done. */
function acting(lines: Readonly<Record<string, (told: string) => readonly (readonly Block[])[]>>): Script {
  let left: readonly (readonly Block[])[] = [];
  return ({ messages }) => {
    const told = JSON.stringify(messages.at(-1));
    const cue = Object.keys(lines).find((one) => told.includes(one));
    if (cue !== undefined) left = lines[cue]?.(told) ?? [];
    const [line = done, ...rest] = left;
    left = rest;
    return line;
  };
}

const ending = {
  "asks you to end": (told: string) => {
    const request_id = /shutdown-\d+@[\w-]+/.exec(told)?.[0];
    return [[send("end", "team-lead", { type: "shutdown_response", request_id, approve: true })]];
  },
};

const crud = [
  [toolUse("c1", "TaskCreate", { subject: "paint", description: "the fence" })],
  [toolUse("c2", "TaskUpdate", { taskId: "1", status: "in_progress", owner: "tester-01" })],
  [toolUse("c3", "TaskList")],
  [toolUse("c4", "TaskUpdate", { taskId: "1", status: "completed" })],
];

test("[LIFE-11] [LIFE-03] the run by which the seed verified its team: made, woken, at work with tasks and peers, ended and deleted", async () => {
  const root = scratch();
  const store = openFileStore({ root });
  const paths = layoutOf(root).team("verify-team");
  let made: Team | undefined;
  const own = { store, team: () => made };
  const context = callBy(undefined);
  const create = teamCreateTool({
    ...own,
    sessionId: "s1",
    model: "claude-opus-4-6",
    cwd: root,
    now: () => new Date(),
    lead: (team) => {
      made = team;
    },
  });
  const config = (): TeamConfig => JSON.parse(readFileSync(paths.config, "utf8"));
  const entryOf = (name: string) => config().members.find((one) => one.name === name);

  await create.run({ team_name: "verify-team" }, context);
  expect(config().members.map(({ name }) => name)).toEqual(["team-lead"]);
  const team = made as unknown as Team;
  const all: Pick<Crew, "root" | "team"> & Crew = {
    root,
    team,
    inboxOf: paths.inbox,
    say: async () => {},
    leadHeard: async () => [],
  };
  const ended: unknown[] = [];
  const stop = async ({ tmuxPaneId }: { name: string; tmuxPaneId?: string | undefined }) => void ended.push(tmuxPaneId);
  const lead = await member(all, "team-lead", () => done, { spawner: endsBy(stop) });
  const say = (to: string, text: string) =>
    lead.membership.send({ kind: "message", to, text, summary: text, notifyWhenIdle: false });
  const notices = (from: string) =>
    inboxIn(all, "team-lead").filter(
      (one) => one["from"] === from && String(one["text"]).includes("idle_notification"),
    );
  const idle = (from: string, count: number) =>
    until(team, async () => (existsSync(all.inboxOf("team-lead")) && notices(from).length >= count ? true : undefined));

  const testers: { readonly tester: Member; readonly over: Promise<unknown> }[] = [];
  const spawn = async (name: string, pane: string, script: Script) => {
    await team.join(mate(name));
    expect(entryOf(name)).toMatchObject({ tmuxPaneId: "" });
    await team.updateMember(name, { tmuxPaneId: pane, backendType: "tmux" });
    const tester = await member(all, name, script);
    tester.session.tell("look who you are");
    const { over } = atWork(tester);
    testers.push({ tester, over });
  };
  await spawn(
    ...(["tester-01", "%18"] as const),
    acting({ "cue-crud": () => crud, "cue-ping": () => [[send("p2", "tester-02", "cue-pong")]], ...ending }),
  );
  await idle("tester-01", 1);
  await spawn(
    ...(["tester-02", "%19"] as const),
    acting({
      "cue-write": () => [[send("p1", "tester-01", "cue-ping")]],
      "cue-pong": () => [[send("p3", "team-lead", "it works")]],
      ...ending,
    }),
  );
  await idle("tester-02", 1);
  expect([entryOf("tester-01")?.color, entryOf("tester-02")?.color]).toEqual(["blue", "green"]);
  await until(team, async () => (entryOf("tester-01")?.isActive === false ? true : undefined));

  await say("tester-01", "cue-crud");
  await idle("tester-01", 2);
  expect(JSON.parse(readFileSync(paths.task("1"), "utf8"))).toMatchObject({ status: "completed", owner: "tester-01" });
  const [worker] = testers;
  expect(worker?.tester.heard().join()).toContain("#1 [in_progress] paint (tester-01)");

  await say("tester-02", "cue-write");
  await idle("tester-02", 3);
  await idle("tester-01", 3);
  const summaries = [...notices("tester-02"), ...notices("tester-01")].map(
    ({ body }) => (body as { summary?: string }).summary,
  );
  expect(summaries.filter(Boolean).sort()).toEqual(["[to tester-01] cue-ping", "[to tester-02] cue-pong"]);
  expect(inboxIn(all, "team-lead").some(({ text }) => text === "it works")).toBe(true);

  for (const to of ["tester-01", "tester-02"])
    await lead.membership.send({ kind: "shutdown_request", to, reason: "enough" });
  await Promise.all(testers.map(({ over }) => over));
  await until(team, async () => (config().members.length === 1 ? true : undefined));
  expect(ended.sort()).toEqual(["%18", "%19"]);
  await lead.turn();
  const heard = lead.heard().join();
  expect(heard.match(/shutdown_approved/g)).toHaveLength(2);
  expect(heard.match(/\(type: in_process_teammate\) \(status: completed\)/g)).toHaveLength(2);

  await lead.session.close();
  await teamDeleteTool({ ...own, endStrays: async () => {}, letGo: () => {} }).run({}, context);
  expect([existsSync(paths.directory), existsSync(join(root, "tasks/verify-team"))]).toEqual([false, false]);
});
