import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { toolUse } from "../test/entries.ts";
import { type Cast, done, opened, stage } from "../test/sessions.ts";
import { type Crew, crew, until } from "../test/team.ts";
import { attendInteractive } from "./attend.ts";
import type { Ask, Question, Reply } from "./permissions/ask.ts";
import type { Session, SessionDeps } from "./session.ts";

const over: (() => void)[] = [];
afterEach(() => {
  for (const end of over.splice(0)) end();
});

type More = Partial<SessionDeps> & { readonly settings?: object; readonly bridge?: Ask };

/** A session that is a member of the crew and attends to it until the test is over. */
async function teammate({ team }: Crew, cast: Cast, more: More = {}) {
  const { bridge, ...rest } = more;
  const scene = stage(cast, rest);
  const self = await team.as("ann");
  const place = { team, self, lead: "team-lead", color: "blue", ...(bridge ? { bridge } : {}) };
  if (rest.settings) scene.trust();
  const session = opened({ ...scene.deps, team: place });
  return { ...scene, session, self };
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
  until(team, async () => {
    const { entries } = await team.inbox("team-lead").read();
    return entries.find(({ text }) => text.includes("idle_notification"));
  });

const write = (id: string, file_path: string) => toolUse(id, "Write", { file_path, content: "x" });

test.each(["2026-02", "2026-11"] as const)(
  "[PERM-20] [ATP-PRM-001] [ATP-PRM-007] in %s a teammate in a process of its own asks by mail, and its lead's person answers at the lead's screen",
  async (revision) => {
    const team = await crew(revision, "ann");
    const asked: Question[] = [];
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
      team: { team: team.team, self: await team.team.as("team-lead"), lead: "team-lead" },
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
  const asked: Question[] = [];
  const bridge = async (question: Question): Promise<Reply> => {
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
    team: { team: team.team, self: await team.team.as("team-lead"), lead: "team-lead" },
  });
  const heard = new Promise<void>((resolve) => {
    attend(leading, async function* (signal) {
      const attending = attendInteractive({
        agent: leading,
        mail: leading.mail,
        signal,
        uiFree: async () => {},
        runShell: async () => {},
        answerLate: async () => {},
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
