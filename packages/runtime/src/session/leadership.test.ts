import { existsSync } from "node:fs";
import { leadOf, revisions } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { describe, expect, test } from "vitest";
import { words } from "../../test/entries.ts";
import { atWork, inboxIn, member, send } from "../../test/members.ts";
import { type Crew, crew, waitingFor, writeForeign } from "../../test/team.ts";

const done = [words("done")];

async function requestEnd({ team }: Crew, requestId: string): Promise<void> {
  const stamp = { requestId, from: "team-lead", timestamp: new Date().toISOString() };
  await (await team.as("team-lead")).send("alice", { body: { type: "shutdown_request", reason: "enough", ...stamp } });
}

describe.each(revisions)("in %s", (revision) => {
  test("[ATP-CFG-012] leadership stays with whoever made the team: not by leaving, by joining as a lead, nor by a change of an entry", async () => {
    const { team } = await crew(revision, "alice");
    const leader = async () => leadOf((await team.config()).value as never)?.name;
    await expect(team.leave("team-lead")).rejects.toMatchObject({ code: "lead_fixed" });
    await team.join({ name: "boss", agentType: "team-lead", model: "m", prompt: "p", joinedAt: 1, cwd: "/" });
    expect(await leader()).toBe("team-lead");
    await team.updateMember("alice", { agentType: "team-lead" });
    await team.updateMember("team-lead", { agentType: "worker" });
    expect(await leader()).toBe("team-lead");
    await expect(team.leave("team-lead")).rejects.toMatchObject({ code: "lead_fixed" });
    await team.leave("boss");
    expect((await team.config()).value?.members.map(({ name }) => name)).toEqual(["team-lead", "alice"]);
  });

  test("the end of a lead's session stands in the history of a team that goes on, and nothing of one that was removed", async () => {
    const all = await crew(revision, "alice");
    const ends = async () => {
      const events: object[] = [];
      for await (const { event } of all.team.history()) events.push(event);
      return events.filter((event) => "kind" in event && event.kind === "stopped");
    };
    const lead = await member(all, "team-lead", [done]);
    const alice = await member(all, "alice", [done]);
    await alice.session.close();
    expect(await ends()).toEqual([]);
    await lead.session.close();
    expect(await ends()).toEqual([{ kind: "stopped", name: "team-lead", detail: "its session has ended" }]);
    const next = await member(all, "team-lead", [done]);
    const store = openFileStore({ root: all.root });
    await store.deleteTeam("crew", { evenIfActive: true });
    await next.session.close();
    let after = 0;
    for await (const { event } of store.past("crew")) after += "kind" in event && event.kind === "stopped" ? 1 : 0;
    expect(after).toBe(1);
  });

  test("[ATP-LIF-005] who is asked to end and refuses works on, and who agrees ends", async () => {
    const all = await crew(revision, "alice");
    const answer = (id: string, request_id: string, approve: boolean) =>
      send(id, "team-lead", { type: "shutdown_response", request_id, approve, ...(!approve && { reason: "busy" }) });
    const alice = await member(all, "alice", ({ messages }) => {
      const told = JSON.stringify(messages.at(-1));
      if (told.includes("shutdown-1@alice") && told.includes("asks you to end"))
        return [answer("u1", "shutdown-1@alice", false)];
      if (told.includes("shutdown-2@alice") && told.includes("asks you to end"))
        return [answer("u2", "shutdown-2@alice", true)];
      return done;
    });
    const { over } = atWork(alice);
    await requestEnd(all, "shutdown-1@alice");
    expect((await all.leadHeard(2)).map(({ type }) => type)).toEqual(["shutdown_rejected", "idle_notification"]);
    await all.say("alice", "then go on");
    expect((await all.leadHeard(3)).map(({ type }) => type)).toContain("idle_notification");
    expect(alice.heard().join()).toContain("then go on");
    await requestEnd(all, "shutdown-2@alice");
    expect(await over).toMatchObject({ why: "completed" });
    expect((await all.leadHeard(4)).at(-1)).toMatchObject({ type: "shutdown_approved", requestId: "shutdown-2@alice" });
    await all.say("alice", "one more thing");
    expect(alice.heard().join()).not.toContain("one more thing");
    expect(existsSync(all.inboxOf("alice"))).toBe(true);
  });

  test("[ATP-LIF-003] who says again and again that it is idle, to the letter or not, stays in the team, is heard each time and can be written to", async () => {
    const all = await crew(revision, "alice");
    const lead = await member(all, "team-lead", [done, done]);
    const idle = (timestamp: string) => ({
      from: "alice",
      text: JSON.stringify({ type: "idle_notification", from: "alice", timestamp, idleReason: "available" }),
      timestamp,
      read: false,
    });
    const [one, other] = [idle("2026-02-13T10:45:20.631Z"), idle("2026-02-13T10:45:21.631Z")];
    const notices = [[one, one, one, other], [one]];
    for (const entries of notices) {
      writeForeign(all.inboxOf("team-lead"), ...entries);
      await lead.turn();
    }
    const told = lead.heard().filter((text) => text.includes("idle_notification"));
    expect(told.map((text) => text.split('"idle_notification"').length - 1)).toEqual([4, 1]);
    expect([await waitingFor(all.team, "team-lead"), lead.shown]).toEqual([[], []]);
    expect((await all.team.config()).value?.members.map(({ name }) => name)).toEqual(["team-lead", "alice"]);
    const more = { kind: "message", to: "alice", text: "more", summary: "more", notifyWhenIdle: false } as const;
    expect(await lead.membership.send(more)).toMatchObject({ success: true });
    expect(await waitingFor(all.team, "alice")).toMatchObject([{ text: "more" }]);
  });

  test("[ATP-LIF-101] who joined by itself leaves what its lead does not read and sends it once, in its next process too; a lead of ours reads it before it has started anybody", async () => {
    const all = await crew(revision, "alice");
    await all.say("alice", "begin");
    const first = await member(all, "alice", [[send("u1", "team-lead", "half is done")], done, done], {
      isSpawned: false,
    });
    const ending = new AbortController();
    const over = (async () => {
      for await (const _ of first.session.attendTeam(ending.signal));
    })();
    await all.leadHeard(2);
    await all.say("alice", "go on");
    const heard = (await all.leadHeard(3)).map(({ type, text }) => type ?? text);
    expect(heard).toEqual(["half is done", "idle_notification", "idle_notification"]);
    const left = inboxIn(all, "team-lead");
    ending.abort("shutdown");
    await over;
    await first.session.close();
    const next = await member(all, "alice", [done], { isSpawned: false });
    await all.say("alice", "go on");
    await next.turn();
    expect(inboxIn(all, "team-lead")).toEqual(left);

    const lead = await member(all, "team-lead", [done]);
    await lead.turn();
    const [told = ""] = lead.heard();
    expect(told.match(/half is done|idle_notification/g)?.slice(-3)).toEqual(heard);
    expect(await waitingFor(all.team, "team-lead")).toEqual([]);
  });
});
