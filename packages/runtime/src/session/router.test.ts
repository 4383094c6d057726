import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { escapeProjectPath, layoutOf, lockOf, revisions } from "@troupe/protocol";
import type { Team } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import { type LedgerEntry, type MembershipDeps, openMembership } from "@troupe/team";
import { memoryLedger } from "@troupe/team/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { atWork, inboxIn, member, send } from "../../test/members.ts";
import { crew } from "../../test/team.ts";
import { conversationOf } from "../journal/state.ts";

const now = () => new Date("2026-02-13T10:13:29.576Z");
const message = { kind: "message", text: "Read it.", summary: "read", notifyWhenIdle: false } as const;

async function routerOf(
  team: Team,
  name: string,
  { entries = [], ...more }: Partial<MembershipDeps> & { readonly entries?: LedgerEntry[] } = {},
) {
  const ledger = memoryLedger(entries);
  const membership = openMembership({
    team,
    self: await team.as(name),
    lead: "team-lead",
    ledger: () => ledger,
    now,
    newId: randomUUID,
    show: () => {},
    ...more,
  });
  onTestFinished(membership.close);
  return membership;
}

describe.each(revisions)("in %s", (revision) => {
  const start = async () => {
    const all = await crew(revision, "alice", "bob");
    return { all, lead: await routerOf(all.team, "team-lead"), alice: await routerOf(all.team, "alice") };
  };

  test("[MSG-07] [ATP-SND-003] [ATP-SND-005] a text is in the inbox word for word when its result says so", async () => {
    const { all, lead } = await start();
    const text = "  two lines\nand an emoji 🎭 ";
    const result = await lead.send({ ...message, to: "alice", text });
    const [entry] = inboxIn(all, "alice");
    expect(entry).toMatchObject({ from: "team-lead", text, summary: "read", read: false });
    expect(result).toEqual({
      success: true,
      message: "Message sent to alice's inbox",
      ...(revision === "2026-11" && { msg_id: entry?.["msg_id"] }),
      routing: { sender: "team-lead", target: "@alice", targetColor: "blue", summary: "read", content: text },
    });
  });

  test("[ATP-SND-008] [ATP-SND-104] [INBOX-16] teammates write to each other, and each colour is named where there is one", async () => {
    const { all, alice } = await start();
    const routing = async (to: string) => (await alice.send({ ...message, to }))?.["routing"];
    const own = revision === "2026-11" ? { senderColor: "blue" } : {};
    const same = { sender: "alice", ...own, summary: "read", content: "Read it." };
    expect(await routing("bob")).toEqual({ ...same, target: "@bob", targetColor: "green" });
    expect(inboxIn(all, "bob")).toMatchObject([{ from: "alice", color: "blue", summary: "read" }]);
    expect(alice.takePeerSummary()).toBe("[to bob] read");
    expect(alice.takePeerSummary()).toBeUndefined();
    expect(await routing("team-lead")).toEqual({ ...same, target: "@team-lead" });
    expect(alice.takePeerSummary()).toBeUndefined();
  });

  test("a teammate gets a message, though the disk has an ended agent with its name for an id", async () => {
    const { all } = await start();
    const lead = await member(all, "team-lead", [[send("u1", "alice", "hello")], [words("done")]]);
    const path = layoutOf(all.root).subagentMeta(escapeProjectPath(all.root), "team-lead", "alice");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ agentType: "general-purpose" }));
    lead.session.tell("begin");
    await lead.turn();
    expect(inboxIn(all, "alice")).toMatchObject([{ text: "hello" }]);
    expect(lead.session.jobs.all()).toEqual([]);
  });

  test("[ATP-SND-002] [ATP-SND-105] nobody of the name is in the team: nothing is written, and the model is told so", async () => {
    const { all } = await start();
    const script = [[send("u1", "carol", "hello")], [words("done")]];
    const alice = await member(all, "alice", script);
    alice.session.tell("begin");
    await alice.turn();
    expect(alice.heard().join()).toContain("No agent named 'carol' is reachable");
    expect(existsSync(all.inboxOf("carol"))).toBe(false);
    expect(readdirSync(`${all.root}/teams/crew`)).toEqual(["config.json"]);
  });

  test("while the config is torn by one who writes in place, nobody is called unknown: nothing is sent, and it says to try again", async () => {
    const { all, lead } = await start();
    const { config } = layoutOf(all.root).team("crew");
    const whole = readFileSync(config, "utf8");
    writeFileSync(config, whole.slice(0, 100));
    const torn = await lead.send({ ...message, to: "alice" });
    writeFileSync(config, whole);
    expect(torn).toMatchObject({ success: false, message: expect.stringMatching(/cannot be read now.*try again/) });
    expect(await lead.send({ ...message, to: "alice" })).toMatchObject({ success: true });
    expect(inboxIn(all, "alice")).toHaveLength(1);
  });

  test("a name in another spelling is the member's", async () => {
    const { all, lead } = await start();
    expect(await lead.send({ ...message, to: "ALICE" })).toMatchObject({ message: "Message sent to alice's inbox" });
    expect(inboxIn(all, "alice")).toHaveLength(1);
  });

  test("[MSG-09] [ATP-SND-007] [ATP-SND-106] the lead asks a member to end, with its reason inside", async () => {
    const { all, lead } = await start();
    const requestId = `shutdown-${now().getTime()}@alice`;
    expect(await lead.send({ kind: "shutdown_request", to: "alice", reason: "All is done" })).toEqual({
      success: true,
      message: `Shutdown request sent to alice. Request ID: ${requestId}`,
      request_id: requestId,
      target: "alice",
    });
    const [entry] = inboxIn(all, "alice");
    const stamp = { requestId, from: "team-lead", reason: "All is done", timestamp: now().toISOString() };
    expect(entry?.["body"]).toEqual({ type: "shutdown_request", ...stamp });
    expect(entry).not.toHaveProperty("color");
    expect(entry).not.toHaveProperty("summary");
  });

  test("[TEAM-24] what only a lead may send, a teammate may not; and nobody asks a lead to end", async () => {
    const { all, lead, alice } = await start();
    const refusals = [
      await alice.send({ kind: "shutdown_request", to: "bob", reason: "" }),
      await alice.send({
        kind: "plan_approval_response",
        to: "bob",
        requestId: "r",
        approve: true,
        feedback: "",
      } as const),
      await lead.send({ kind: "shutdown_request", to: "team-lead", reason: "" }),
      await lead.send({ kind: "shutdown_response", to: undefined, requestId: "r", approve: true, reason: "" }),
      await lead.send({ ...message, to: "team-lead" }),
    ];
    expect(refusals.map((one) => one?.success)).toEqual([false, false, false, false, false]);
    await expect(all.team.leave("team-lead")).rejects.toMatchObject({ code: "lead_fixed" });
    expect(existsSync(`${all.root}/teams/crew/inboxes`)).toBe(false);
  });

  test("an answer to a shutdown goes to the lead and to nobody else", async () => {
    const { all } = await start();
    const opened = (id: string): LedgerEntry => ({
      kind: "delivered",
      key: id,
      from: "team-lead",
      opens: { handshake: "shutdown", id },
    });
    const alice = await routerOf(all.team, "alice", { entries: [opened("r1"), opened("r2")] });
    const answer = { kind: "shutdown_response", requestId: "r1", approve: false, reason: "" } as const;
    expect(await alice.send({ ...answer, to: "bob" })).toMatchObject({ success: false });
    expect(existsSync(all.inboxOf("team-lead"))).toBe(false);
    await alice.send({ ...answer, to: undefined });
    await alice.send({ ...answer, requestId: "r2", to: "team-lead" });
    expect(inboxIn(all, "team-lead")).toMatchObject([{ body: { requestId: "r1" } }, { body: { requestId: "r2" } }]);
  });

  test("whoever only wants to hear when a member is idle sends it nothing", async () => {
    const { all, lead, alice } = await start();
    const wish = { ...message, to: "bob", text: "", notifyWhenIdle: true };
    expect(await lead.send(wish)).toMatchObject({ success: true });
    expect(await alice.send(wish)).toMatchObject({ success: false });
    expect(existsSync(all.inboxOf("bob"))).toBe(false);
  });

  test("[ATP-SND-108] an inbox that is locked is an error that names it, and nothing is called sent", async () => {
    const { all } = await start();
    const limits = { deadlineMs: 50, staleMs: 60_000 };
    const team = (await openFileStore({ root: all.root, limits }).openTeam("crew")) as Team;
    const lead = await routerOf(team, "team-lead");
    await lead.send({ ...message, to: "alice" });
    mkdirSync(lockOf(all.inboxOf("alice")));
    await expect(lead.send({ ...message, to: "alice" })).rejects.toThrow(all.inboxOf("alice"));
    expect(inboxIn(all, "alice")).toHaveLength(1);
  });

  test("[INBOX-03] [INBOX-12] [INBOX-23] a call of the tool is a message in a file, a turn of the recipient, and then no message that waits", async () => {
    const { all } = await start();
    const lead = await member(all, "team-lead", () => [words("read")]);
    const alice = await member(all, "alice", [[send("u1", "team-lead", "the fence is green")], [words("sent")]]);
    expect(existsSync(all.inboxOf("team-lead"))).toBe(false);
    alice.session.tell("begin");
    await alice.turn();
    expect(inboxIn(all, "team-lead")).toMatchObject([{ from: "alice", text: "the fence is green", read: false }]);
    expect(readFileSync(alice.session.transcript, "utf8")).toContain("Message sent to team-lead's inbox");
    await lead.mail();
    await lead.turn();
    expect(lead.heard()[0]).toContain("the fence is green");
    const left = inboxIn(all, "team-lead").map(({ read }) => read);
    expect(left).toEqual(revision === "2026-02" ? [true] : []);
  });

  test("[INBOX-17] the lead hears with the notice what was said to a peer", async () => {
    const { all } = await start();
    const alice = await member(all, "alice", [[send("u1", "bob", "the schema")], [words("asked")]]);
    alice.session.tell("begin");
    atWork(alice);
    expect(await all.leadHeard(1)).toMatchObject([{ type: "idle_notification", summary: "[to bob] the schema" }]);
  });
});

describe("a broadcast", () => {
  const broadcast = { kind: "broadcast", text: "Stop.", summary: "stop all" } as const;

  test("[MSG-02] [ATP-SND-004] [ATP-SND-006] a broadcast is one copy for every other member, and its result names them", async () => {
    const all = await crew("2026-02", "alice", "bob");
    const bob = await routerOf(all.team, "bob");
    expect(await bob.send(broadcast)).toEqual({
      success: true,
      message: "Message broadcast to 2 teammate(s): team-lead, alice",
      recipients: ["team-lead", "alice"],
      routing: { sender: "bob", target: "@team", summary: "stop all", content: "Stop." },
    });
    for (const name of ["team-lead", "alice"])
      expect(inboxIn(all, name)).toMatchObject([{ from: "bob", text: "Stop.", summary: "stop all" }]);
    expect(existsSync(all.inboxOf("bob"))).toBe(false);
  });

  test("[MSG-08] names only those that really got it, and fails when nobody did", async () => {
    const all = await crew("2026-02", "alice", "bob");
    const self = await all.team.as("team-lead");
    const failing = (...names: readonly string[]): MembershipDeps["self"] => ({
      ...self,
      send: (to, content) =>
        names.includes(to) ? Promise.reject(new Error(`no room for ${to}`)) : self.send(to, content),
    });
    const one = await routerOf(all.team, "team-lead", { self: failing("alice") });
    expect(await one.send(broadcast)).toMatchObject({ recipients: ["bob"] });
    const none = await routerOf(all.team, "team-lead", { self: failing("alice", "bob") });
    await expect(none.send(broadcast)).rejects.toThrow("no room for alice");
  });

  test("a broadcast does without a member that left in that moment", async () => {
    const all = await crew("2026-02", "alice", "bob");
    const before = await all.team.config();
    await all.team.leave("alice");
    const lead = await routerOf(all.team, "team-lead", { team: { ...all.team, config: async () => before } });
    expect(await lead.send(broadcast)).toMatchObject({ recipients: ["bob"] });
    await all.team.leave("bob");
    expect(await lead.send(broadcast)).toMatchObject({ recipients: [] });
  });
});

const shutdown = { type: "shutdown_response", request_id: "r", approve: true };
const verdict = { type: "plan_approval_response", request_id: "r", approve: true };
const lacking = {
  "2026-02": [
    { type: "message", recipient: "alice", content: "hello" },
    { type: "message", recipient: "alice", summary: "hello" },
    { type: "message", content: "hello", summary: "hello" },
    { type: "broadcast", content: "hello" },
    { type: "broadcast", summary: "hello" },
    { type: "shutdown_request" },
    { type: "shutdown_response", request_id: "r" },
    { type: "shutdown_response", approve: true },
    { type: "plan_approval_response", request_id: "r", recipient: "alice" },
    { type: "plan_approval_response", request_id: "r", approve: true },
    { type: "plan_approval_response", recipient: "alice", approve: true },
    { to: "*", message: shutdown },
    { to: "*", message: verdict },
  ],
  "2026-11": [
    { to: "alice" },
    { message: "hello" },
    { to: "*", message: "hello", summary: "hello" },
    { to: "alice@crew", message: "hello", summary: "hello" },
    { type: "broadcast", content: "hello", summary: "hello" },
    { to: "alice", message: { ...verdict, request_id: undefined } },
    { to: "alice", message: { ...verdict, approve: undefined } },
    { to: "team-lead", message: { ...shutdown, request_id: undefined } },
  ],
};

test.each([
  ["[ATP-SND-001] [ATP-SND-015] [ATP-SND-013]", "2026-02"],
  ["[ATP-SND-101] [ATP-SND-102]", "2026-11"],
] as const)(
  "%s in %s a call that lacks what it needs, or goes to nobody in particular, fails and writes nothing",
  async (_, revision) => {
    const all = await crew(revision, "alice");
    const calls = lacking[revision].map((call, at) => toolUse(`u${at}`, "SendMessage", call));
    const lead = await member(all, "team-lead", [calls, [words("done")]]);
    lead.session.tell("begin");
    await lead.turn();
    const results = conversationOf(lead.session.journal.state()).flatMap(({ blocks }) => blocks);
    expect(results.filter((block) => block.includes('"is_error":true'))).toHaveLength(calls.length);
    expect(existsSync(`${all.root}/teams/crew/inboxes`)).toBe(false);
  },
);
