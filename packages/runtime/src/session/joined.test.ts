import { revisions } from "@troupe/protocol";
import { createSpawner } from "@troupe/team";
import { backendDouble } from "@troupe/team/testing";
import { expect, test } from "vitest";
import { words } from "../../test/entries.ts";
import { atWork, type Member, member, send } from "../../test/members.ts";
import { type Crew, crew, until, waitingFor, writeForeign } from "../../test/team.ts";

const done = [words("done")];
const joinedAt = 1_770_000_000_002;

const membersOf = async ({ team }: Crew) => (await team.config()).value?.members.map(({ name }) => name);

/** Agrees to end when it is asked. */
const agreeing = ({ messages }: { readonly messages: readonly unknown[] }) => {
  const told = JSON.stringify(messages.at(-1));
  const request_id = /shutdown-\d+@\w+/.exec(told)?.[0];
  return told.includes("asks you to end")
    ? [send("u1", "team-lead", { type: "shutdown_response", request_id, approve: true })]
    : done;
};

/** A member of which the config says what it says of those that a lead has added. */
async function joins({ team }: Crew, name: string): Promise<void> {
  await team.join({ name, agentType: "worker", model: "m", prompt: "p", joinedAt, cwd: "/p" });
  await team.updateMember(name, { tmuxPaneId: "%7", backendType: "tmux" });
}

test.each(revisions)(
  "[ATP-MEM-106] in %s a lead takes out the member that it spawned and none that joined by itself, which ends by its own hand and unannounced",
  async (revision) => {
    const all = await crew(revision, "alice");
    await joins(all, "eve");
    await joins(all, "zoe");
    const { tasks } = await all.team.as("team-lead");
    await tasks.create({ subject: "paint", description: "the fence" });
    await tasks.claim("1", "zoe");
    const lead = await member(all, "team-lead", [done, done, done]);
    const ask = (to: string) => lead.membership.send({ kind: "shutdown_request", to, reason: "enough" });

    // A program of another make that agrees and stays in the roster.
    const timestamp = "2026-02-13T10:13:29.576Z";
    const text = JSON.stringify({ type: "shutdown_approved", requestId: "r1", from: "zoe", timestamp });
    writeForeign(all.inboxOf("team-lead"), { from: "zoe", text, timestamp, read: false });
    await lead.turn();
    expect(await membersOf(all)).toEqual(["team-lead", "alice", "eve", "zoe"]);
    expect((await tasks.get("1")).value?.owner).toBeUndefined();

    const eve: Member = await member(all, "eve", agreeing, { isSpawned: false });
    await ask("eve");
    await atWork(eve).over;
    expect(await membersOf(all)).toEqual(["team-lead", "alice", "zoe"]);

    const alice = await member(all, "alice", agreeing);
    await ask("alice");
    await atWork(alice).over;
    await until(all.team, async () => ((await membersOf(all))?.includes("alice") ? undefined : true), "alice's end");
    await lead.turn();

    const told = lead.heard().join("\n");
    for (const name of ["alice", "eve", "zoe"]) expect(told).toContain(`"from":"${name}"`);
    expect(told.match(/teammate_terminated|in_process_teammate/g)).toHaveLength(1);
    expect(told).toMatch(/alice has shut down|alice@crew \(type/);
    for (const name of ["eve", "zoe"])
      expect((await waitingFor(all.team, name)).filter(({ text: said }) => said.includes("terminated"))).toEqual([]);
    expect(await membersOf(all)).toEqual(["team-lead", "zoe"]);

    // The next process of the lead finds neither in any backend of its own.
    const backends = [await backendDouble("tmux").open()];
    const self = await all.team.as("team-lead");
    const next = createSpawner({ team: all.team, self, backends, now: () => new Date(), graceMs: 10 });
    expect(await next.recover()).toEqual({ adopted: [], gone: [] });
    expect(await membersOf(all)).toEqual(["team-lead", "zoe"]);
  },
);
