import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { awaited, untilSeen } from "../../../../scripts/awaited.ts";
import { toolUse, words } from "../../test/entries.ts";
import { type Cast, changed, done, opened, type StageDeps, settled, stage, turn } from "../../test/sessions.ts";
import { gate } from "../../test/team.ts";
import type { FrozenRequest } from "../model/frozen.ts";
import type { Session } from "../session/session.ts";

// The troubles that the seed lists, each with what there is to see that tells where it comes from.

const task = (id: string, input: object = {}) =>
  toolUse(id, "Agent", { description: "look around", prompt: "task one", run_in_background: false, ...input });
const output = (id: string, task_id: string | undefined, block: boolean, timeout = 30_000) =>
  toolUse(id, "TaskOutput", { task_id, block, timeout });
const send = (id: string, to: string | undefined) =>
  toolUse(id, "SendMessage", { to, message: "go on", summary: "more" });
const said = (request: FrozenRequest | undefined) => JSON.stringify(request?.messages);
const agentIn = (request: FrozenRequest) => /agentId: (a[0-9a-f]{16})/.exec(said(request))?.[1];
const behind = { run_in_background: true };

/** A session whose agents answer when they are let. */
function start(cast: Cast, over: StageDeps = {}) {
  const scene = stage(cast, over);
  const free = gate();
  const model: typeof scene.deps.model = async function* (request, signal) {
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    if (said(request).startsWith('[{"role":"user","blocks":["{\\"type\\":\\"text\\",\\"text\\":\\"task one'))
      await Promise.race([free.opened, aborted]);
    yield* scene.deps.model(request, signal);
  };
  return { ...scene, deps: { ...scene.deps, model }, letGo: free.open };
}
const fates = (talk: readonly string[]) =>
  [...talk.join().matchAll(/<notification>(.*?)<\/notification>/g)].map(([, one]) => one);

test("[FAIL-14] a result that the model does not see: TaskOutput says whether its notification is to come, waits in the queue, was heard, or is not sent since a result told it", async () => {
  const { deps, letGo } = start({
    "": (request, nth) =>
      [
        [task("t1", behind)],
        [output("o1", agentIn(request), false)],
        done,
        [output("o2", agentIn(request), false)],
        done,
        [task("t2", { ...behind, prompt: "task two" })],
        [output("o3", /task two.*agentId: (a[0-9a-f]{16})/.exec(said(request))?.[1], true)],
      ][nth] ?? done,
    "task one": [[words("The attic is empty.")]],
    "task two": [done],
  });
  const session = opened(deps);
  await turn(session, "go");
  letGo();
  await settled(session);
  // The notification is `later`: what a person says comes first, and both are heard in one turn.
  const waiting = session.jobs.all().map((job) => job.notification?.());
  expect(waiting).toEqual(["waits in the queue, and is heard with the next turn"]);
  await turn(session, "and?");
  const { talk } = await turn(session, "and now?");
  expect(fates(talk)).toEqual([
    "comes once it has ended and is tidied up",
    "was heard",
    "none: a result has told its end",
  ]);
});

test("[FAIL-14] a target that is not found: SendMessage says that a name was another process's and whose, that no transcript is left, or who there is", async () => {
  const cast: Cast = {
    "": (_, nth) =>
      [
        [task("t1", { name: "scout" })],
        done,
        [send("s1", "scout")],
        [send("s2", "a0123456789abcdef")],
        [send("s3", "nobody")],
      ][nth] ?? done,
    "task one": [[words("The attic is empty.")]],
  };
  const { deps, letGo } = start(cast, { sessionId: "s1" });
  letGo();
  const first = opened(deps);
  await turn(first, "go");
  const [job] = first.jobs.all();
  await first.close();
  const { talk } = await turn(opened(deps), "again");
  expect(talk.join()).toContain(`A name lasts as long as its process; write to ${job?.id}, which had it before.`);
  expect(talk.join()).toContain("No transcript of an agent of this id is left, so it cannot go on.");
  expect(talk.join()).toMatch(/'nobody' is reachable.*No agent has been started in this process\./);
});

test.each([
  [
    "its definition does not name",
    "Bash",
    { tools: ["Read"] },
    {},
    /"Bash.* here: tools of its definition does not name it/,
  ],
  [
    "its definition takes away",
    "Bash",
    { disallowedTools: ["Bash"] },
    {},
    /here: disallowedTools of its definition takes it away/,
  ],
  [
    "is of a server that nobody configured",
    "mcp__attic__look",
    {},
    {},
    /here: no MCP server attic is configured: add it/,
  ],
  [
    "is of a server that is not there",
    "mcp__attic__look",
    {},
    {
      openMcp: () => {
        const none = {
          tools: () => [],
          changes: () => ({ added: [], gone: [] }),
          servers: () => [{ name: "attic", state: "failed" as const, problem: "no such program" }],
          missing: async () => [],
          child: () => none,
          close: async () => {},
        };
        return none;
      },
    },
    /here: its MCP server attic is not connected \(no such program\)/,
  ],
  ["belongs to another kind of agent", "Agent", {}, {}, /here: agents may start no more agents below this one/],
  ["is of no agent at all", "Fly", {}, {}, /There is no tool called ..."Fly..."\./],
] as const)(
  "[FAIL-14] a tool that an agent lacks, which %s: the result of its call says why",
  async (_, name, frontMatter, over, told) => {
    const { deps, define, letGo, requestsOf } = start(
      { "": [[task("t1", { subagent_type: "scout" })], done], "task one": [[toolUse("u1", name)], done] },
      over,
    );
    define("scout", frontMatter);
    letGo();
    await turn(opened(deps), "go");
    expect(said(requestsOf("task one")[1])).toMatch(told);
  },
);

test("[FAIL-14] a tool that a fork lacks: the result says that it has exactly its caller's, and why that one has none", async () => {
  const fork = toolUse("u1", "Agent", { description: "split", prompt: "task two", subagent_type: "fork" });
  const { deps, define, letGo, requestsOf } = start(
    {
      "": [[task("t1", { subagent_type: "scout" })], done],
      "directive: task two": [[toolUse("v1", "Bash", { command: "true" })], done],
      "task one": [[fork], done, done],
    },
    { revision: "2026-11" },
  );
  define("scout", { tools: ["Agent", "Read"] });
  letGo();
  const session = opened(deps);
  await turn(session, "go");
  await settled(session);
  expect(said(requestsOf("directive: task two")[1])).toContain(
    "here: a fork has exactly the tools of its caller: tools of its definition does not name it",
  );
});

test("[FAIL-14] permissions that surprise: the result says the mode, where the agent has it from, and that a mode of the call has no effect", async () => {
  const { deps, define, trust, letGo } = start({
    "": [
      [
        task("t1", { subagent_type: "planner" }),
        task("t2", { subagent_type: "bold" }),
        task("t3", { subagent_type: "plain", mode: "bypassPermissions" }),
      ],
      [task("t4", { subagent_type: "fork" })],
      done,
    ],
    "task one": () => done,
  });
  define("planner", { permissionMode: "plan" });
  define("bold", { permissionMode: "acceptEdits" });
  define("plain", {});
  trust();
  letGo();
  const { talk } = await turn(opened(deps), "go");
  expect(talk[2]).toContain("permissions: plan (permissionMode of its definition)");
  expect(talk[2]).toContain(
    "permissions: default (its definition asks for acceptEdits, and its session allows no more)",
  );
  expect(talk[2]).toContain(
    "permissions: default (its definition names none; mode bypassPermissions of the call is for teammates alone and has no effect)",
  );
});

test.each([
  ["forks are not enabled", {}],
  ["nobody sits at the session", { isForkEnabled: true }],
  ["a coordinator starts none", { isForkEnabled: true, isInteractive: true, isCoordinator: true }],
])("[FAIL-14] a fork that was not one: the result says that %s", async (why, gates) => {
  const { deps, letGo } = start({ "": [[task("t1")], done, done], "task one": () => done }, { gates });
  letGo();
  const { talk } = await turn(opened(deps), "go");
  expect(talk[2]).toContain(`(no subagent_type was given; it is no fork, since ${why})`);
});

test("[FAIL-14] a command that no agent does: the problems of the session name the skill and what its context may be, and its words go to the model", async () => {
  const { deps, cwd, trust, requestsOf } = start({ "": [done] });
  const path = join(cwd, ".claude/skills/audit/SKILL.md");
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "---\ndescription: audits\ncontext: forked\n---\nAudit it.\n");
  trust();
  const session = opened(deps);
  expect(session.problems.join("\n")).toContain(path);
  expect(session.problems.join("\n")).toContain(
    "context can only be fork; the skill is not forked, correct or remove it",
  );
  await session.submit("/audit");
  await turn(session);
  expect(session.jobs.all()).toEqual([]);
  expect(said(requestsOf("")[0])).toContain("Audit it.");
});

test.each([
  [false, "Its worktree stays: it holds changes, or may hold some."],
  [true, "Its worktree stays: a hook made it, and a WorktreeRemove hook alone can remove it."],
])(
  "[FAIL-14] a worktree that was not removed, made by a hook: %s: the notice says why it stays",
  async (isHook, why) => {
    const command = 'mkdir -p "$HOME/place" && cd "$HOME/place" && pwd -P';
    const hooks = isHook ? { WorktreeCreate: [{ hooks: [{ type: "command", command }] }] } : {};
    const scene = start(
      { "": [[task("t1", { ...behind, isolation: "worktree" })], done, done], "task one": [done] },
      { settings: { hooks } },
    );
    scene.trust();
    const path = join(scene.home, "place");
    mkdirSync(path);
    const leave = async () => ({ isChanged: true });
    const place = { path, leave, release: async () => ({ isKept: true }) };
    const session = opened(changed(scene.deps, { workspaces: { open: async () => place } }));
    scene.letGo();
    await turn(session, "go");
    await settled(session);
    const { talk } = await turn(session);
    expect(talk.join()).toContain(`<note>${why}`);
    expect(talk.join()).toContain(`<worktreePath>${path}</worktreePath>`);
  },
);

test("[FAIL-14] a TaskOutput that waits: it says that its time is over while the agent works, and does not wait for what is tidied up after the end", async () => {
  const [leaving, tidied] = [gate(), gate()];
  const place = (path: string) => ({
    path,
    async leave() {
      leaving.open();
      await tidied.opened;
      return { isChanged: false };
    },
    release: async () => ({ isKept: false }),
  });
  const scene = start({
    "": (request, nth) =>
      [
        [task("t1", { ...behind, isolation: "worktree" })],
        [output("o1", agentIn(request), true, 1)],
        [output("o2", agentIn(request), true)],
      ][nth] ?? done,
    "task one": [[words("The attic is empty.")]],
  });
  const path = join(scene.home, "place");
  mkdirSync(path);
  const letGoOnce = (session: Session) => untilSeen("the first look", () => session.journal.state().turns >= 3);
  const session = opened(changed(scene.deps, { workspaces: { open: async () => place(path) } }));
  const over = awaited("the end of the turn", turn(session, "go"));
  await letGoOnce(session);
  scene.letGo();
  await leaving.opened;
  const { talk } = await over;
  expect(talk[4]).toMatch(/<retrieval_status>timeout<.*<status>running<.*<notification>comes once it has ended/);
  expect(talk[6]).toMatch(/<retrieval_status>success<.*<status>completed<.*The attic is empty/);
  tidied.open();
  await settled(session);
});
