import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { revisions } from "@troupe/protocol";
import { describe, expect, test } from "vitest";
import { words } from "../../test/entries.ts";
import { atWork, inboxIn, member, send } from "../../test/members.ts";
import { opened, stage } from "../../test/sessions.ts";
import { type Crew, crew } from "../../test/team.ts";
import { transcriptPath } from "../journal/files.ts";
import { openJournal } from "../journal/journal.ts";
import type { SessionDeps } from "./session.ts";

const done = [words("done")];
const agreeing = (name: string) => [
  [send("u1", "team-lead", { type: "shutdown_response", request_id: `shutdown-1@${name}`, approve: true })],
  done,
];

const membersOf = async ({ team }: Crew) => (await team.config()).value?.members.map(({ name }) => name);

/** As a lead of another make asks, which removes nobody. */
async function requestEnd({ team }: Crew, name: string): Promise<void> {
  const stamp = { requestId: `shutdown-1@${name}`, from: "team-lead", timestamp: new Date().toISOString() };
  await (await team.as("team-lead")).send(name, { body: { type: "shutdown_request", reason: "enough", ...stamp } });
}

/** A line as it was written before there were ledgers. */
const old = (line: object) =>
  `${JSON.stringify({ type: "troupe", sessionId: "alice", uuid: randomUUID(), ...line })}\n`;

describe.each(revisions)("in %s", (revision) => {
  test("who agreed and died begins no turn any more, also where its answer is taken and it is still in the team", async () => {
    const all = await crew(revision, "alice", "bob");
    await requestEnd(all, "alice");
    const first = await member(all, "alice", agreeing("alice"));
    await first.turn();
    await first.session.close();
    writeFileSync(all.inboxOf("team-lead"), "[]");
    await all.say("alice", "one more thing");
    const alice = await member(all, "alice", []);
    expect(await atWork(alice).over).toMatchObject({ why: "completed" });
    expect(alice.heard().join()).not.toContain("one more thing");
    expect(inboxIn(all, "team-lead")).toEqual([]);
    expect(await membersOf(all)).toEqual(["team-lead", "alice", "bob"]);
    await all.say("bob", "one more thing");
    const bob = await member(all, "bob", [done]);
    atWork(bob);
    expect(await all.leadHeard(1)).toMatchObject([{ type: "idle_notification", from: "bob" }]);
  });

  test.each([
    ["a transcript with a ledger", false],
    ["a transcript that is older than ledgers", true],
  ])(
    "who was killed between agreeing and saying so says it when it is opened again, as of when it agreed: %s",
    async (_, isOld) => {
      const all = await crew(revision, "alice");
      const identity = { sessionId: "alice", cwd: ".", version: "v" };
      const at = "2026-11-18T10:13:29.576Z";
      const path = transcriptPath({ root: all.root, cwd: all.root, sessionId: "alice" });
      const journal = openJournal({ path, identity, now: () => new Date(at), newId: () => "e1" });
      const requestId = "shutdown-1@alice";
      if (isOld) writeFileSync(path, old({ kind: "agreed", requestId, isTold: false, timestamp: at }), { flag: "a" });
      else {
        const about = { handshake: "shutdown", id: requestId, to: "team-lead", result: "allowed" } as const;
        const body = { type: "shutdown_approved", requestId, from: "alice", timestamp: at } as const;
        journal.append({ kind: "ledger", entry: { kind: "decided", ...about, body, stamp: { at, id: randomUUID() } } });
      }
      journal.close();
      for (let opened = 0; opened < 2; opened += 1) await (await member(all, "alice", [])).session.close();
      const stamp = { requestId: "shutdown-1@alice", from: "alice", timestamp: at };
      expect(inboxIn(all, "team-lead")).toMatchObject([{ body: { type: "shutdown_approved", ...stamp } }]);
    },
  );

  test.each([
    ["one that joined by itself takes its entry out when it has agreed to end, and asks nobody", false, ["team-lead"]],
    ["one that its lead started leaves its entry to the lead", true, ["team-lead", "alice"]],
  ])("%s", async (_, isSpawned, left) => {
    const all = await crew(revision, "alice");
    await requestEnd(all, "alice");
    const alice = await member(all, "alice", agreeing("alice"), { isSpawned });
    await alice.turn();
    expect(await membersOf(all)).toEqual(["team-lead", "alice"]);
    await alice.session.close();
    expect(await membersOf(all)).toEqual(left);
    expect(await all.leadHeard(1)).toMatchObject([{ type: "shutdown_approved", from: "alice" }]);
  });

  test("what the config does not say of a member, its agreement does not say either", async () => {
    const all = await crew(revision, "alice", "bob");
    await all.team.updateMember("bob", { tmuxPaneId: "%7", backendType: "tmux" });
    for (const name of ["alice", "bob"]) {
      await requestEnd(all, name);
      await (await member(all, name, agreeing(name))).turn();
    }
    const stamp = { type: "shutdown_approved", timestamp: expect.any(String) };
    expect(await all.leadHeard(2)).toEqual([
      { ...stamp, requestId: "shutdown-1@alice", from: "alice" },
      { ...stamp, requestId: "shutdown-1@bob", from: "bob", paneId: "%7", backendType: "tmux" },
    ]);
  });

  test("a session that joined by itself is out of the team once it has agreed and its turn is over", async () => {
    const all = await crew(revision, "ann");
    const { session } = await ann(all, false);
    await requestEnd(all, "ann");
    for await (const _ of session.attendTeam(new AbortController().signal));
    expect(await membersOf(all)).toEqual(["team-lead"]);
    expect(await all.leadHeard(1)).toMatchObject([{ type: "shutdown_approved", from: "ann" }]);
  });

  test("a session that has agreed says so when it is opened again, and works no more, attended or run", async () => {
    const all = await crew(revision, "ann");
    const first = await ann(all, true);
    await requestEnd(all, "ann");
    for await (const _ of first.session.attendTeam(new AbortController().signal));
    await first.session.close();
    await all.say("ann", "one more thing");
    const { session, requests, shown } = await ann(all, true, first);
    session.tell("go on");
    for await (const _ of session.attendTeam(new AbortController().signal));
    expect((await session.run().next()).value).toBeUndefined();
    expect(requests).toEqual([]);
    const said = "ann agreed to end when team-lead asked it to: it does no more work in its team";
    expect(shown).toEqual([said, said]);
    expect(await membersOf(all)).toEqual(["team-lead", "ann"]);
  });

  /** A session that is the member ann, in a place of its own or in that of one before it. */
  async function ann({ team }: Crew, isSpawned: boolean, before?: { readonly deps: SessionDeps }) {
    const shown: string[] = [];
    const scene = stage({ "": agreeing("ann") }, { revision });
    const place = { team, self: await team.as("ann"), lead: "team-lead", isSpawned };
    const known = before?.deps ?? { ...scene.deps, sessionId: randomUUID() };
    const person = { ...known.person, show: (text: string) => void shown.push(text) };
    const deps = { ...known, model: scene.deps.model, person };
    return { session: opened({ ...deps, seat: place }), deps, shown, requests: scene.requests };
  }
});
