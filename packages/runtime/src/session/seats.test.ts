import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openFileStore } from "@troupe/store/files";
import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { type Cast, done, opened, stage, turn } from "../../test/sessions.ts";
import { crew, until } from "../../test/team.ts";
import { seatBefore, seatOf } from "./seats.ts";
import type { SessionEvent } from "./session.ts";

/** A session with a store beside it, and what happened to its membership. */
function sessionWith(cast: Cast) {
  const events: SessionEvent[] = [];
  const scene = stage(cast, { onEvent: (event) => void events.push(event) });
  const store = openFileStore({ root: scene.deps.machine.root });
  const session = opened({ ...scene.deps, store });
  const seats = () =>
    events.flatMap((event) =>
      event.kind === "membership" ? [event.team ? `${event.name} of ${event.team}` : "left"] : [],
    );
  return { ...scene, store, session, seats };
}

const create = toolUse("t1", "TeamCreate", { team_name: "parsers", description: "find out why" });
const task = (id: string, subject: string) => toolUse(id, "TaskCreate", { subject, description: "all of it" });

test("[TEAM-04] [TEAM-05] a session leads from TeamCreate to TeamDelete, all in one answer too, and its tasks are the team's meanwhile", async () => {
  const { session, store, seats, deps } = sessionWith({
    "": [
      [task("t0", "alone"), create, task("t2", "together"), toolUse("t3", "TeamDelete", {}), task("t4", "after")],
      done,
    ],
  });
  const { talk } = await turn(session, "go");
  expect(talk.at(-2)).toMatch(
    /Created task #1: alone.*parsers.*Created task #1: together.*Removed the team.*Created task #2: after/,
  );
  expect(seats()).toEqual(["team-lead of parsers", "left"]);
  expect([session.membership(), await store.openTeam("parsers")]).toEqual([undefined, undefined]);
  const own = (await store.tasksOfSession(session.id).list()).tasks.map(({ subject }) => subject);
  expect(own).toEqual(["alone", "after"]);
  expect(existsSync(join(deps.machine.root, "teams/parsers"))).toBe(false);
});

test("a lead hears the mail of its team in its next turn, and after it has left no more", async () => {
  const { session, store, requests } = sessionWith({ "": [[create], done, done, done] });
  await turn(session, "make a team");
  const team = await store.openTeam("parsers");
  if (!team) throw new Error("there is no team");
  await team.join({ name: "ann", agentType: "worker", model: "m", prompt: "", joinedAt: 1, cwd: "/" });
  const ann = await team.as("ann");
  await ann.send("team-lead", { text: "the grammar is ready" });
  await session.mail(new AbortController().signal);
  await turn(session);
  expect(requests.at(-1)?.messages.at(-1)?.blocks.join()).toContain("the grammar is ready");
  await session.leave();
  await ann.send("team-lead", { text: "and another thing" });
  await turn(session, "go on");
  expect(JSON.stringify(requests.at(-1)?.messages)).not.toContain("another thing");
  expect(readFileSync(session.transcript, "utf8")).toContain('"kind":"left"');
});

test("[TEAM-23] a session has one seat: another is refused with the name of its team until it has left", async () => {
  const { session, seats } = sessionWith({ "": [done] });
  const [one, two] = [await crew("2026-02", "ann"), await crew("2026-11", "ann")];
  session.enter(await seatOf(one.team, "ann"));
  const other = await seatOf(two.team, "ann");
  expect(() => session.enter(other)).toThrow(
    expect.objectContaining({ code: "session_leading", message: expect.stringContaining("crew") }),
  );
  await session.leave();
  session.enter(other);
  expect(seats()).toEqual(["ann of crew", "left", "ann of crew"]);
  await expect(seatOf(two.team, "nobody")).rejects.toMatchObject({ code: "member_unknown" });
});

test("a session that enters a team as a teammate while it runs asks the lead what it may not decide, and adds nobody to the team", async () => {
  const all = await crew("2026-02", "ann");
  const { session, requests } = sessionWith({
    "": [
      [toolUse("t1", "Agent", { description: "help", prompt: "help", name: "bob" })],
      [toolUse("t2", "Write", { file_path: "/elsewhere/a.txt", content: "x" })],
      [words("done")],
    ],
  });
  session.enter(await seatOf(all.team, "ann"));
  const over = turn(session, "go");
  const request = await until(all.team, async () =>
    (await all.leadHeard(1)).find(({ type }) => type === "permission_request"),
  );
  expect(request).toMatchObject({ tool_name: "Write", agent_id: "ann" });
  const lead = await all.team.as("team-lead");
  const refusal = {
    type: "permission_response",
    request_id: String(request["request_id"]),
    subtype: "error",
    error: "no",
  } as const;
  await lead.send("ann", { body: refusal });
  await over;
  const said = requests.map(({ messages }) => messages.at(-1)?.blocks.join()).join();
  expect(said).toContain("a teammate cannot add teammates");
  expect(said).toContain("no");
});

test("[TEAM-25] a session that is opened again finds the seat it led from, until it has left or the team is gone; to open it alone takes none", async () => {
  const { session, store, deps } = sessionWith({ "": [[create], done, done] });
  await turn(session, "make a team");
  const id = session.id;
  await session.close();
  const again = opened({ ...deps, store, sessionId: id });
  expect(again.membership()).toBeUndefined();
  const seat = await seatBefore(again, store);
  expect([seat?.team.name, seat?.self.name]).toEqual(["parsers", "team-lead"]);
  if (seat) again.enter(seat);
  await store.deleteTeam("parsers");
  expect(await seatBefore(again, store)).toBeUndefined();
  const draft = { name: "parsers", leadSessionId: id, leadModel: "m", cwd: "/" };
  await store.createTeam({ ...draft, createdAt: Date.now() + 5 });
  expect(await seatBefore(again, store), "a later team of the name").toBeUndefined();
});

test("a session that has left its team does not find its seat again", async () => {
  const { session, store } = sessionWith({ "": [[create], done] });
  await turn(session, "make a team");
  await session.leave();
  expect(await store.openTeam("parsers")).toBeDefined();
  expect(await seatBefore(session, store)).toBeUndefined();
});
