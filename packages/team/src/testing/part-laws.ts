import assert from "node:assert/strict";
import type { CallQuestion, Reply } from "../person.ts";
import type { MemberLaw } from "./member-laws.ts";
import type { Seated } from "./scene.ts";

const question: CallQuestion = {
  id: "q1",
  call: "toolu_1",
  tool: "Bash",
  input: { command: "ls" },
  reason: "it lists",
  suggestions: [],
};

const never = () => new AbortController().signal;

/** Its other side goes on with what it does until what was begun is there. */
async function meanwhile<T>(candidate: Seated, work: Promise<T>): Promise<T> {
  let isOver = false;
  const done = work.finally(() => {
    isOver = true;
  });
  done.catch(() => {});
  while (!isOver) {
    await candidate.begin();
    await candidate.end({ text: "" });
    await new Promise((resolve) => setImmediate(resolve));
  }
  return done;
}

/** How a member is on either side of the three handshakes. */
export const partLaws = (deny: Reply): readonly MemberLaw[] => [
  {
    name: "a lead answers the permission request of a teammate as its other side says, and is asked once",
    of: "lead",
    async holds({ seat, partner, sentTo, bodiesTo, as, until, unreadOf }) {
      const bob = await partner("bob");
      const lead = await seat({ name: "team-lead" });
      assert.equal((await meanwhile(lead, bob.ask(question, never()))).behavior, "allow");
      const requests = () => lead.asked() + lead.told().filter((one) => one.includes("permission_request")).length;
      assert.equal(requests(), 1, "one question is put once, or heard once");
      const sent = bodiesTo("bob", "permission_response").length;
      // The same request once more, as a writer does that tries again after the first was consumed.
      const request = { type: "permission_request", request_id: idOf(sentTo("bob")), agent_id: "bob" } as const;
      const again = { ...request, tool_name: "Bash", tool_use_id: "toolu_1", description: "it lists" };
      await (await as("bob")).send("team-lead", {
        body: { ...again, input: { command: "ls" }, permission_suggestions: [] },
      });
      await until(async () => {
        await lead.begin();
        await lead.end({ text: "" });
        return (await unreadOf("team-lead")).every((text) => !text.includes("permission_request"));
      });
      assert.equal(requests(), 1, "it was asked again");
      assert.deepEqual(bodiesTo("team-lead", "idle_notification"), [], "a lead told itself that it is idle");
      assert.equal(bodiesTo("bob", "permission_response").length, sent);
    },
  },
  {
    name: "a lead that refuses a call is quoted to the teammate that asked",
    of: "lead",
    async holds({ seat, partner }) {
      const bob = await partner("bob");
      const lead = await seat({ name: "team-lead", reply: deny });
      assert.deepEqual(await meanwhile(lead, bob.ask(question, never())), deny);
    },
  },
  {
    name: "a lead answers a plan as its other side says",
    of: "lead",
    async holds({ seat, partner, bodiesTo, until }) {
      const bob = await partner("bob");
      const lead = await seat({ name: "team-lead" });
      await bob.handIn("first a, then b", "/p/plan.md");
      await meanwhile(
        lead,
        until(() => bob.granted() !== undefined),
      );
      assert.equal(bodiesTo("bob", "plan_approval_response").length, 1);
    },
  },
  {
    name: "a teammate that agrees to end says so to its lead once, and ends",
    of: "mail",
    async holds({ seat, partner, bodiesTo, until }) {
      const lead = await partner("team-lead");
      const alice = await seat();
      await lead.send({ kind: "shutdown_request", to: "alice", reason: "all is done" });
      await meanwhile(
        alice,
        until(() => alice.membership.isLeaving()),
      );
      await alice.membership.takeLeave();
      await alice.stop("shutdown");
      assert.equal(await alice.isRunning(), false);
      assert.equal(bodiesTo("team-lead", "shutdown_approved").length, 1);
    },
  },
  {
    name: "a teammate that refuses to end says why to its lead, and goes on",
    of: "mail",
    async holds({ seat, as, bodiesTo, until }) {
      const lead = await as("team-lead");
      const alice = await seat({ reply: deny });
      const stamp = { from: "team-lead", timestamp: "2026-02-13T10:10:53.467Z" };
      await lead.send("alice", {
        body: { type: "shutdown_request", requestId: "shutdown-1@alice", reason: "", ...stamp },
      });
      const refusals = () => bodiesTo("team-lead", "shutdown_rejected");
      await meanwhile(
        alice,
        until(() => refusals().length > 0),
      );
      assert.deepEqual(
        refusals().map(({ reason }) => reason),
        ["not yet"],
      );
      assert.equal(await alice.isRunning(), true);
      const told = alice.told().length;
      await lead.send("alice", { text: "then go on" });
      await alice.hear(told + 1);
    },
  },
];

/** The id of the request that an answer among these texts belongs to. */
const idOf = (texts: readonly string[]): string =>
  texts.map((text) => /"request_id":"([^"]+)"/.exec(text)?.[1]).find((id) => id !== undefined) ?? "";
