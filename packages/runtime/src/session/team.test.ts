import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Revision } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import type { Ask, CallQuestion, Reply } from "@troupe/team";
import { afterEach, expect, test } from "vitest";
import { toolUse } from "../../test/entries.ts";
import { type Cast, done, opened, stage, turn, type Wishes } from "../../test/sessions.ts";
import { type Crew, crew, mailOf, until } from "../../test/team.ts";
import { planFileOf } from "../tools/plan-mode.ts";
import { attendInteractive } from "./attend.ts";
import type { Session } from "./session.ts";

const over: (() => void)[] = [];
const stop = () => {
  for (const end of over.splice(0)) end();
};
afterEach(stop);

type More = Wishes & {
  readonly settings?: object;
  readonly bridge?: Ask;
  readonly planModeRequired?: boolean;
};

/** A session that is a member of the crew and attends to it until the test is over. */
async function teammate({ team }: Crew, cast: Cast, more: More = {}) {
  const { bridge, planModeRequired = false, ...rest } = more;
  const scene = stage(cast, rest);
  const self = await team.as("ann");
  const place = { team, self, lead: "team-lead", color: "blue", planModeRequired, ...(bridge ? { bridge } : {}) };
  if (rest.settings) scene.trust();
  const session = opened({ ...scene.deps, seat: place });
  return { ...scene, session, self, place };
}

function attend(session: Session, how: (signal: AbortSignal) => AsyncGenerator<unknown>): Promise<void> {
  const ending = new AbortController();
  over.push(() => ending.abort());
  return (async () => {
    for await (const _ of how(ending.signal));
  })().finally(() => session.close());
}

/** Resolves when the lead was told that ann is idle. */
const idle = ({ team }: Crew) =>
  until(
    team,
    async () => {
      const entries = await mailOf(team, "team-lead");
      return entries.find(({ text }) => text.includes("idle_notification"));
    },
    "an idle notification",
  );

const write = (id: string, file_path: string) => toolUse(id, "Write", { file_path, content: "x" });

test.each(["2026-02", "2026-11"] as const)(
  "[PERM-20] [ATP-PRM-001] [ATP-PRM-007] in %s a teammate in a process of its own asks by mail, and its lead's person answers at the lead's screen",
  async (revision) => {
    const team = await crew(revision, "ann");
    const asked: CallQuestion[] = [];
    const lead = stage(
      { "": [] },
      {
        revision,
        ask: async (question): Promise<Reply> => {
          asked.push(question);
          return { behavior: "allow", updatedInput: { ...(question.input as object), content: "edited" } };
        },
      },
    );
    const leading = opened({
      ...lead.deps,
      seat: { team: team.team, self: await team.team.as("team-lead"), lead: "team-lead" },
    });
    const ann = await teammate(
      team,
      { "": (_, nth) => (nth === 0 ? [write("u1", join(ann.cwd, "../outside.txt"))] : done) },
      { revision, mode: "acceptEdits" },
    );
    ann.session.tell("write it");
    attend(ann.session, (signal) => ann.session.attendTeam(signal));
    await idle(team);
    expect(asked).toMatchObject([{ tool: "Write", call: "u1", from: { name: "ann", color: "blue" } }]);
    expect(ann.asked).toEqual([]);
    expect(readFileSync(join(ann.cwd, "../outside.txt"), "utf8")).toBe("edited");
    expect(leading.queue.waiting()).toEqual([]);
  },
);

test("[PERM-20] [ATP-PRM-103] [PERM-21] in the lead's process it asks at the lead's screen with its badge, and nothing is written", async () => {
  const team = await crew("2026-11", "ann");
  const asked: CallQuestion[] = [];
  const bridge = async (question: CallQuestion): Promise<Reply> => {
    asked.push(question);
    return { behavior: "deny", message: "not there" };
  };
  const ann = await teammate(
    team,
    { "": (_, nth) => (nth === 0 ? [write("u1", join(ann.cwd, "../outside.txt"))] : done) },
    { revision: "2026-11", bridge } as object,
  );
  ann.session.tell("write it");
  attend(ann.session, (signal) => ann.session.attendTeam(signal));
  const [notice] = await team.leadHeard(1);
  expect(notice).toMatchObject({ type: "idle_notification" });
  expect(asked).toMatchObject([{ tool: "Write", from: { name: "ann", color: "blue" } }]);
});

test("[HOOK-09] [HOOK-10] [ATP-LIF-013] hooks of the settings look at what a teammate leaves undone, and at it when it would be idle", async () => {
  const team = await crew("2026-02", "ann");
  const note = (event: string, refusal: string) => ({
    [event]: [
      {
        hooks: [
          {
            type: "command",
            command: `cat >> ${event}; [ -e not-${event} ] || { touch not-${event}; echo '${refusal}' >&2; exit 2; }`,
          },
        ],
      },
    ],
  });
  const hooks = { ...note("TaskCompleted", "the tests are red"), ...note("TeammateIdle", "look again") };
  const ann = await teammate(
    team,
    {
      "": [
        [toolUse("u1", "TaskUpdate", { taskId: "1", status: "completed" })],
        done,
        done,
        [toolUse("u2", "TaskUpdate", { taskId: "1", status: "completed" })],
        done,
        done,
      ],
    },
    { settings: { hooks } },
  );
  const { id } = await ann.self.tasks.create({ subject: "paint", description: "the fence" });
  await ann.self.tasks.claim(id, "ann");
  ann.session.tell("finish it");
  attend(ann.session, (signal) => ann.session.attendTeam(signal));
  await idle(team);
  const events = (name: string) =>
    readFileSync(join(ann.cwd, name), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  expect(events("TaskCompleted")[0]).toMatchObject({
    task_id: id,
    task_subject: "paint",
    teammate_name: "ann",
    team_name: "crew",
  });
  expect(events("TeammateIdle")[0]).toMatchObject({ teammate_name: "ann", team_name: "crew" });
  const heard = JSON.stringify(ann.requests.at(-1)?.messages);
  expect(heard).toContain("the tests are red");
  expect(heard).toContain("look again");
});

test("[HOOK-10] a teammate that ends its turn with a task begun goes on while a hook of TaskCompleted objects", async () => {
  const team = await crew("2026-02", "ann");
  const command = "[ -e once ] || { touch once; echo 'paint it first' >&2; exit 2; }";
  const settings = { hooks: { TaskCompleted: [{ hooks: [{ type: "command", command }] }] } };
  const ann = await teammate(team, { "": [done, done] }, { settings });
  await ann.self.tasks.create({ subject: "paint", description: "the fence" });
  await ann.self.tasks.claim("1", "ann");
  ann.session.tell("finish it");
  attend(ann.session, (signal) => ann.session.attendTeam(signal));
  await idle(team);
  expect(JSON.stringify(ann.requests[1]?.messages)).toContain("Task #1: paint it first");
  expect(ann.requests).toHaveLength(2);
});

test("[INBOX-19] [LIFE-09] mail wakes a lead that is idle at its terminal, and is its next turn", async () => {
  const team = await crew("2026-02", "ann");
  const lead = stage({ "": [done] });
  const leading = opened({
    ...lead.deps,
    seat: { team: team.team, self: await team.team.as("team-lead"), lead: "team-lead" },
  });
  const heard = new Promise<void>((resolve) => {
    attend(leading, async function* (signal) {
      const attending = attendInteractive({
        agent: leading,
        mail: leading.mail,
        signal,
        uiFree: async () => {},
      });
      for await (const event of attending) if ("isOk" in event) resolve();
      yield;
    });
  });
  await (await team.team.as("ann")).send("team-lead", { text: "the fence is green", summary: "done" });
  await heard;
  expect(JSON.stringify(lead.requests[0]?.messages)).toMatch(/teammate-message.*ann.*the fence is green/);
  expect(existsSync(team.inboxOf("team-lead"))).toBe(true);
});

/**
 * The words for a teammate and its lead that start a named agent and one in the background, and
 * which of their agents nobody waited for.
 */
async function starting(revision: Revision) {
  const team = await crew(revision, "ann");
  const agent = (id: string, more: object) => toolUse(id, "Agent", { description: "d", prompt: "task one", ...more });
  const cast: Cast = {
    "": [[agent("u1", { name: "bob", team_name: "crew" }), agent("u2", { run_in_background: true })], done],
    "task one": [done, done],
  };
  const lead = stage(cast, { revision });
  const self = await team.team.as("team-lead");
  const sessions = [
    (await teammate(team, cast, { revision })).session,
    opened({ ...lead.deps, seat: { team: team.team, self, lead: "team-lead" } }),
  ];
  return Promise.all(
    sessions.map(async (session) => {
      const { talk } = await turn(session, "go");
      return { told: talk[2] ?? "", unwatched: session.jobs.all().filter((job) => job.isBackground()).length };
    }),
  );
}

test("[ROUTE-23] [ROUTE-24] in 2026-02 a teammate is refused both a teammate and an agent in the background", async () => {
  const [anns, leads] = await starting("2026-02");
  expect(anns?.told).toMatch(/a teammate cannot add teammates.*a teammate cannot start agents in the background/);
  expect([anns?.unwatched, leads?.unwatched]).toEqual([0, 1]);
  expect(leads?.told).not.toContain("a teammate cannot");
});

test("[ROUTE-23] [ROUTE-24] in 2026-11 a teammate is refused a teammate, and waits for every agent it starts", async () => {
  const [anns, leads] = await starting("2026-11");
  expect(anns?.told).toMatch(/a teammate cannot add teammates.*done/);
  expect([anns?.unwatched, leads?.unwatched]).toEqual([0, 1]);
  expect(leads?.told).toContain("no teammates can be started here");
});

test("what SessionStart says is heard with the first words, also where these are mail", async () => {
  const team = await crew("2026-02", "ann");
  const SessionStart = [{ hooks: [{ type: "command", command: "echo branch main" }] }];
  const ann = await teammate(team, { "": [done] }, { settings: { hooks: { SessionStart } } });
  await team.say("ann", "paint the fence");
  attend(ann.session, (signal) => ann.session.attendTeam(signal));
  await idle(team);
  const [first] = ann.requests;
  expect(JSON.stringify(first?.messages)).toContain("branch main");
  expect(JSON.stringify(first?.messages)).toContain("paint the fence");
  expect(ann.requests).toHaveLength(1);
});

test("[TEAM-20] a teammate that must plan hands its plan to its lead, and carries it out once that has approved it, opened again too", async () => {
  const team = await crew("2026-02", "ann");
  await team.team.updateMember("ann", { planModeRequired: true });
  const store = openFileStore({ root: team.root });
  const { path } = planFileOf("ann1", { root: team.root, store });
  const more: More = { mode: "plan", sessionId: "ann1", store, root: team.root, planModeRequired: true };
  const ann = await teammate(
    team,
    {
      "": (_, nth) =>
        [
          [write("u1", join(ann.cwd, "early")), write("u2", path)],
          [toolUse("u3", "ExitPlanMode")],
          done,
          [write("u4", join(ann.cwd, "late"))],
        ][nth] ?? done,
    },
    more,
  );
  const lead = stage(
    {
      "": ({ messages }, nth) => {
        const request_id = /plan_approval-\d+@ann@crew/.exec(JSON.stringify(messages))?.[0];
        const message = { type: "plan_approval_response", request_id, approve: true };
        return nth === 0 ? [toolUse("u1", "SendMessage", { to: "ann", message })] : done;
      },
    },
    { mode: "acceptEdits" },
  );
  const self = await team.team.as("team-lead");
  const leading = opened({ ...lead.deps, seat: { team: team.team, self, lead: "team-lead" } });
  ann.session.tell("paint the fence");
  const over = attend(ann.session, (signal) => ann.session.attendTeam(signal));
  await leading.mail?.(AbortSignal.timeout(10_000));
  await turn(leading);
  await until(team.team, async () => (existsSync(join(ann.cwd, "late")) ? true : undefined));
  await until(team.team, async () => (ann.requests.length === 5 ? true : undefined));
  expect([existsSync(join(ann.cwd, "early")), ann.session.permissions.mode(), ann.asked]).toEqual([
    false,
    "acceptEdits",
    [],
  ]);
  stop();
  await over;
  expect(opened({ ...ann.deps, seat: ann.place }).permissions.mode()).toBe("acceptEdits");
});
