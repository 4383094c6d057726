import { existsSync } from "node:fs";
import { leadOf, revisions } from "@troupe/protocol";
import { describe, expect, test } from "vitest";
import { words } from "../../test/entries.ts";
import { atWork, member, send } from "../../test/members.ts";
import { type Crew, crew } from "../../test/team.ts";

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
});
