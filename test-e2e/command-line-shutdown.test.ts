import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { escapeProjectPath, layoutOf } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { expect, test } from "vitest";
import { expectSchema, openTroupe } from "./command-line.ts";
import { usedIn } from "./led-team.ts";
import { teammateProcesses } from "./teammate-process.ts";

const troupe = openTroupe();
const { home, root, json, told, refusal } = troupe;
const annIn = teammateProcesses(troupe);
const toldIn = ({ messages }: MessagesRequest): string => JSON.stringify(messages);

/** Answers each request to end so, by the model of ann. */
const answering = (approve: boolean) => (asked: MessagesRequest) => {
  const [, id] = /request_?[iI]d[^a-z]*(shutdown-\d+@ann)/.exec(toldIn(asked)) ?? [];
  if (id === undefined || usedIn(asked).length > 0) return "I wait.";
  const message = { type: "shutdown_response", request_id: id, approve, reason: "the tests still run" };
  return [toolUse("SendMessage", { to: "team-lead", message })];
};

async function answered(...args: string[]) {
  const { status, stdout, stderr } = await troupe.troupeBeside([...args, "--json"]);
  expectSchema("shutdown", JSON.parse(stdout));
  return { status, stderr, ...JSON.parse(stdout) };
}

test.each(["2026-02", "2026-11"] as const)(
  "a teammate that agrees to end has ended when the command does, and its task is free again (%s)",
  async (revision) => {
    const { root: place, lead, leadHears, team, ended } = await annIn(revision, { rule: answering(true) });
    const { id } = await team.tasks.create({ subject: "Read it", description: "" });
    await team.tasks.claim(id, "ann");
    await lead.send("ann", { text: "Hello." });
    await leadHears("idle_notification");
    const end = await answered("shutdown", "ann", "--reason", "that is it", "--root", place);
    expect(end).toMatchObject({ status: 0, team: "crew", members: [{ name: "ann", outcome: "ended", reason: null }] });
    expect((await ended()).status).toBe(0);
    expect((await team.config()).value?.members.map(({ name }) => name)).toEqual(["team-lead"]);
    expect((await team.tasks.get(id)).value).toMatchObject({ status: "pending" });
    expect((await team.tasks.get(id)).value?.owner).toBeUndefined();
    expect(refusal(3, ["shutdown", "crew", "--all", "--root", place])).toBe("crew has no teammates");
  },
);

test("a teammate that goes on says why, and the command ends with 1", async () => {
  const { root: place, team } = await annIn("2026-02", { rule: answering(false) });
  const end = await answered("shutdown", "crew", "--all", "--root", place);
  expect(end).toMatchObject({
    status: 1,
    members: [{ name: "ann", outcome: "refused", reason: "the tests still run" }],
  });
  expect((await team.config()).value?.members).toHaveLength(2);
});

test("one that does not answer is waited for as long as was said, and what is waited for is told", () => {
  told("team", "create", "quiet");
  expect(refusal(2, ["shutdown", "quiet"])).toContain("name a member to shut down, or --all: there is none");
  told("team", "join", "quiet", "bob");
  const { status, stdout, stderr } = troupe.troupe(["shutdown", "quiet", "bob", "--wait", "2"]);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "bob has not answered in time; the request stays\n" });
  expect(stderr).toBe(
    "note: waiting for bob to agree and end, 2 s at most\n" +
      "troupe: not all have ended: troupe team leave quiet bob takes it out of the team\n",
  );
  expect(refusal(3, ["shutdown", "quiet", "zoe"])).toContain("there is no zoe in quiet: choose one of bob");
  expect(refusal(1, ["shutdown", "quiet", "team-lead"])).toContain("team-lead leads quiet to its end");
  expect(refusal(2, ["shutdown", "--all"])).toContain("--all is never done to a team that is only guessed");
  expect(refusal(2, ["shutdown", "quiet", "bob", "--wait", "long"])).toContain("--wait needs a number of seconds");
});

test("one that waits for a permission is told of with the command that answers it", async () => {
  told("team", "create", "asking");
  told("team", "join", "asking", "bob");
  const team = await openFileStore({ root }).openTeam("asking");
  await (await team?.as("bob"))?.record({ kind: "permission", id: "p1", phase: "asked", tool: "Edit", reason: "so" });
  const { stderr } = troupe.troupe(["shutdown", "asking", "bob", "--wait", "0"]);
  expect(stderr).toContain(
    "note: bob hears this when its question is answered: troupe permission deny asking p1, or allow\n",
  );
});

test("the pane of a member is shown by a command of tmux, and one without a pane is told from it", () => {
  told("team", "create", "panes");
  told("team", "join", "panes", "ann", "--pane", "%14");
  told("team", "join", "panes", "bob", "--backend", "in-process");
  const words = ["tmux", "select-window", "-t", "%14", ";", "select-pane", "-t", "%14", ";"];
  expect(json("attach", ["attach", "panes", "an"])).toEqual({
    team: "panes",
    member: "ann",
    pane: "%14",
    socket: null,
    command: [...words, "attach-session", "-t", "%14"],
  });
  const inside = json("attach", ["attach", "panes", "ann"], { env: { TMUX: "/tmp/tmux-1/default,1,0" } });
  expect(inside.command.slice(-3)).toEqual(["switch-client", "-t", "%14"]);
  expect(told("attach", "panes", "ann")).toBe(
    "tmux select-window -t %14 ';' select-pane -t %14 ';' attach-session -t %14\n",
  );
  expect(refusal(2, ["attach", "panes", "bob"])).toContain("troupe log panes --from bob --follow tells what it does");
  expect(refusal(3, ["attach", "panes", "zoe"])).toContain("choose one of team-lead, ann, bob");
});

test("the sessions of a folder are listed, the newest first, with what they began with", () => {
  expect(json("sessions", ["sessions"]).sessions).toEqual([]);
  const sessions = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];
  for (const [at, id] of sessions.entries()) {
    const path = layoutOf(root).transcript(escapeProjectPath(home), id);
    mkdirSync(dirname(path), { recursive: true });
    const line = { type: "user", message: { role: "user", content: `Fix \u001b[2J ${at}` } };
    writeFileSync(path, `${JSON.stringify(line)}\n`);
    utimesSync(path, 1_770_000_000 + at, 1_770_000_000 + at);
  }
  expect(json("sessions", ["sessions"])).toEqual({
    cwd: home,
    sessions: [
      { id: sessions[1], title: "Fix \u001b[2J 1", at: "2026-02-02T02:40:01.000Z" },
      { id: sessions[0], title: "Fix \u001b[2J 0", at: "2026-02-02T02:40:00.000Z" },
    ],
  });
  const { stdout, stderr } = troupe.troupe(["sessions"]);
  expect(stdout).not.toContain("\u001b");
  expect(stdout.split("\n")[0]).toContain(sessions[1]);
  expect(stderr).toBe("note: troupe --resume ID goes on with one\n");
  expect(json("sessions", ["sessions"], { cwd: join(home, "..") }).sessions).toEqual([]);
});
