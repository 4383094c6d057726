import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../../../scripts/awaited.ts";
import { crew } from "../test/crew.ts";
import type { Member } from "./member.ts";
import { type MembershipDeps, openMembership } from "./membership.ts";
import type { Reply } from "./person.ts";
import { answerRequest, openRequests } from "./requests.ts";
import { memoryLedger } from "./testing/index.ts";

const lead = "team-lead";
const question = { id: "q", call: "t1", tool: "Bash", input: { command: "ls" }, reason: "it lists", suggestions: [] };
const now = () => new Date();
const moment = now();

/** A team on disk: its members record what they hear, and a person answers when told to. */
async function start(more: Partial<MembershipDeps> = {}) {
  const { team, inboxIn } = await crew("2026-02", "alice");
  const shown: string[] = [];
  const asked: { readonly reply: (reply: Reply) => void; readonly over: AbortSignal }[] = [];
  const over = new AbortController();
  const open = async (name: string, ask: Member["ask"], deps: Partial<MembershipDeps> = {}) => {
    const self = await team.as(name);
    const memory = memoryLedger();
    const membership = openMembership({
      team,
      self,
      lead,
      ledger: () => ({
        state: memory.state,
        append(entry) {
          memory.append(entry);
          if (entry.kind === "asked")
            void self.record({ ...entry.about, kind: entry.handshake, id: entry.id, phase: "asked" });
          if (entry.kind === "settled")
            void self.record({ kind: entry.outcome.handshake, id: entry.outcome.id, phase: entry.outcome.result });
        },
      }),
      leadWatch: { loss: async () => undefined, gone: () => new Promise(() => {}) },
      now,
      newId: randomUUID,
      show: (text) => void shown.push(text),
      ...deps,
    });
    const told: string[] = [];
    const member: Member = {
      kind: "person",
      hear: (messages) =>
        messages.map(({ message, texts, entry }) => {
          memory.append(entry);
          told.push(texts.join());
          return message.key;
        }),
      turnEnded: async () => undefined,
      ask,
      stop: async () => {},
    };
    void membership.attend(member, over.signal);
    onTestFinished(async () => {
      over.abort();
      await membership.close();
    });
    return { membership, told, memory };
  };
  const atScreen: Member["ask"] = (_, signal) =>
    new Promise<Reply>((reply) => {
      asked.push({ reply, over: signal });
    });
  const answers = () => inboxIn("alice").filter(({ text }) => String(text).includes("_response"));
  const elsewhere = async (reply: Reply) => {
    const [request] = await openRequests(team);
    return request && answerRequest({ self: await team.as(lead), now }, request, reply);
  };
  return { team, open, atScreen, asked, shown, answers, elsewhere, more };
}

test("a request that is answered from another process leaves the lead's screen, and is answered once", async () => {
  const { open, atScreen, asked, answers, elsewhere, team } = await start();
  const { memory } = await open(lead, atScreen);
  const alice = await open("alice", () => undefined);
  const reply = alice.membership.ask(question, new AbortController().signal);
  await untilSeen("the question", () => asked.length === 1);
  expect(await openRequests(team)).toMatchObject([
    { kind: "permission", from: "alice", tool: "Bash", request: { input: { command: "ls" } } },
  ]);
  expect(await elsewhere({ behavior: "allow" })).toEqual({ isFirst: true });
  expect(await reply).toMatchObject({ behavior: "allow" });
  await untilSeen("the question go", () => asked[0]?.over.aborted);
  await untilSeen(
    "the decision of the lead",
    () => [...memory.state().decided.values()].every(({ isSent }) => isSent) && memory.state().decided.size === 1,
  );
  expect(answers()).toHaveLength(1);
  expect(await openRequests(team)).toEqual([]);
});

test("a member that records an answer nobody gave is denied, and not allowed in the lead's name", async () => {
  const { open, atScreen, asked, answers, team } = await start();
  await open(lead, atScreen);
  const alice = await open("alice", () => undefined);
  const reply = alice.membership.ask(question, new AbortController().signal);
  await untilSeen("the question", () => asked.length === 1);
  const [request] = await openRequests(team);
  await (await team.as("alice")).record({ kind: "permission", id: request?.id, phase: "allowed" });
  expect(await reply).toMatchObject({ behavior: "deny", message: expect.stringContaining("another terminal") });
  expect(asked[0]?.over.aborted).toBe(true);
  expect(answers()).toHaveLength(1);
});

test.each([
  ["at the same time", () => new Date()],
  ["of one moment", () => moment],
] as const)("of two answers %s one is sent, the first, and the second one is told so", async (_, now) => {
  const { open, atScreen, asked, answers, shown, team } = await start();
  await open(lead, atScreen, { now });
  const alice = await open("alice", () => undefined);
  const reply = alice.membership.ask(question, new AbortController().signal);
  await untilSeen("the question", () => asked.length === 1);
  const [request] = await openRequests(team);
  const self = await team.as(lead);
  const other = request && answerRequest({ self, now }, request, { behavior: "allow", note: "mind it" });
  asked[0]?.reply({ behavior: "deny", message: "no" });
  const [heard, sent] = [await reply, await other];
  const isFirst = sent?.isFirst ?? false;
  expect(heard.behavior).toBe(isFirst ? "allow" : "deny");
  expect(answers()).toHaveLength(1);
  if (isFirst) await untilSeen("the word to the lead", () => shown.some((text) => text.includes("answered before")));
  else expect(alice.told.join()).not.toContain("mind it");
});

test("a lead's model that answers a plan behind the person at another terminal is told so, and nothing is sent", async () => {
  const { open, answers, elsewhere, team } = await start();
  const { membership, told } = await open(lead, () => undefined);
  const alice = await open("alice", () => undefined);
  const requestId = await alice.membership.handIn("first a, then b", "/p/plan.md");
  await untilSeen("the plan at the lead", () => told.length === 1);
  expect(await openRequests(team)).toMatchObject([{ kind: "plan", id: requestId, path: "/p/plan.md" }]);
  expect(await elsewhere({ behavior: "deny", message: "begin with b" })).toEqual({ isFirst: true });
  await untilSeen("the answer at alice", () => alice.told.some((text) => text.includes("begin with b")));
  const late = { kind: "plan_approval_response", to: "alice", requestId, approve: true, feedback: "" } as const;
  expect(await membership.send(late)).toMatchObject({
    success: false,
    message: expect.stringContaining("answered already"),
  });
  expect(answers()).toHaveLength(1);
  expect(await elsewhere({ behavior: "allow" })).toEqual({ isFirst: false });
});

test("what a teammate asks at the screen of its lead's own process can be answered from another one, and the screen is free again", async () => {
  const { open, team, elsewhere, answers } = await start();
  const signals: AbortSignal[] = [];
  const bridge = (_: unknown, signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<Reply>((reply) => {
      signal.addEventListener("abort", () => reply({ behavior: "deny", message: "taken back" }));
    });
  };
  const { membership } = await open("alice", () => undefined, { bridge });
  const reply = membership.ask(question, new AbortController().signal);
  await untilSeen("the question", async () => (await openRequests(team)).length === 1);
  expect(await openRequests(team)).toMatchObject([
    { tool: "Bash", reason: "it lists", request: { input: { command: "ls" } } },
  ]);
  await elsewhere({ behavior: "allow" });
  expect(await reply).toMatchObject({ behavior: "allow", updatedInput: { command: "ls" } });
  expect(signals[0]?.aborted).toBe(true);
  const phases: unknown[] = [];
  for await (const { event } of team.history()) phases.push("phase" in event ? event.phase : []);
  expect(phases.flat()).toEqual(["asked", "allowed"]);
  expect(answers()).toHaveLength(1);
  await untilSeen("the end of the request", async () => (await openRequests(team)).length === 0);
});

test("an answer at that screen counts, and a later one changes nothing", async () => {
  const { open, team } = await start();
  let answerIt: (reply: Reply) => void = () => {};
  const bridge = () =>
    new Promise<Reply>((reply) => {
      answerIt = reply;
    });
  const { membership, told } = await open("alice", () => undefined, { bridge });
  const reply = membership.ask(question, new AbortController().signal);
  await untilSeen("the question", async () => (await openRequests(team)).length === 1);
  const [request] = await openRequests(team);
  answerIt({ behavior: "deny", message: "no" });
  expect(await reply).toMatchObject({ behavior: "deny" });
  await untilSeen("the end of the request", async () => (await openRequests(team)).length === 0);
  if (request) await answerRequest({ self: await team.as(lead), now }, request, { behavior: "allow" });
  await membership.offer();
  expect(told).toEqual([]);
});
