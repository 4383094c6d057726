import { randomUUID } from "node:crypto";
import { isUnread, type Revision, revisions } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { describe, expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { crew } from "../../test/crew.ts";
import { type Life, lifeOf } from "../../test/life.ts";
import type { TeamEvent } from "../events.ts";
import type { LedgerEntry } from "../ledger/entry.ts";
import type { Member } from "../member.ts";
import { type Membership, openMembership } from "../membership.ts";
import type { Reply } from "../person.ts";
import { memoryLedger } from "../testing/index.ts";

const lead = "team-lead";
const allow: Reply = { behavior: "allow" };
const names = ["alice", lead] as const;
type Name = (typeof names)[number];

/** Who decides: a person who is asked, or a model that hears a message and answers by a call. */
const deciders = ["a person", "a model"] as const;
type Decider = (typeof deciders)[number];

/** A team of two whose processes end and begin again; what they were told and asked is kept. */
async function start(revision: Revision, decider: Decider) {
  const { root } = await crew(revision, "alice");
  const store = openFileStore({ root });
  onTestFinished(() => store.close());
  const team = await store.openTeam("crew").then((found) => found ?? expect.fail("there is no team"));
  const { value } = await team.config();
  const joinedAt = value?.members.find(({ name }) => name === "alice")?.joinedAt ?? 0;
  await (await team.as(lead)).record({ kind: "spawning", name: "alice", joinedAt } satisfies TeamEvent);
  const task = await team.tasks.create({ subject: "s", description: "" });
  await team.tasks.claim(task.id, "alice");
  const entries: Record<Name, LedgerEntry[]> = { alice: [], [lead]: [] };
  const told: Record<Name, string[]> = { alice: [], [lead]: [] };
  const sent: Record<Name, string[]> = { alice: [], [lead]: [] };
  const asked: string[] = [];

  /** A process of that name: it goes on where the one before it stopped. */
  async function open(name: Name, life: Life): Promise<Membership> {
    const ledger = life.ledger(memoryLedger(entries[name]));
    const self = life.self(await team.as(name));
    const send: typeof self.send = async (to, ...rest) => {
      const message = await self.send(to, ...rest);
      sent[to as Name].push(message.entry.text);
      return message;
    };
    const membership = openMembership({
      team: life.team(team),
      self: { ...self, send },
      lead,
      isSpawned: true,
      plans: decider === "a person" ? "user" : "lead",
      ledger: () => ledger,
      leadWatch: { loss: async () => undefined, gone: () => new Promise(() => {}) },
      now: () => new Date(),
      newId: randomUUID,
      show: () => {},
    });
    const member: Member = {
      kind: "session",
      hear(messages) {
        for (const { entry, texts } of messages) {
          // Heard and written down are one write, as in a journal.
          ledger.append(entry);
          told[name].push(texts.join("\n"));
        }
        void answerOpen(membership, ledger).catch(() => {});
        return messages.map(({ message }) => message.key);
      },
      turnEnded: async () => undefined,
      ask(question) {
        if (decider === "a model") return undefined;
        asked.push(question.kind);
        return Promise.resolve(allow);
      },
      stop: async () => {},
    };
    const over = new AbortController();
    void life.ended.then(() => over.abort());
    void membership.attend(member, over.signal).catch(() => {});
    void membership
      .enter()
      .then(() => answerOpen(membership, ledger))
      .catch(() => {});
    return membership;
  }

  /** The model answers the requests that it has heard and not answered. */
  async function answerOpen(membership: Membership, ledger: ReturnType<Life["ledger"]>): Promise<void> {
    for (const { handshake, id, from } of ledger.state().open.values()) {
      const about = { to: from, requestId: id, approve: true };
      if (handshake === "permission") await membership.answer(from, id, allow);
      else if (handshake === "plan") await membership.send({ kind: "plan_approval_response", ...about, feedback: "" });
      else await membership.send({ kind: "shutdown_response", ...about, reason: "" });
    }
  }

  const unread = async (name: Name) =>
    ((await team.mail(name).page()).value ?? []).filter(({ entry }) => isUnread(entry)).length;
  const members = async () => ((await team.config()).value?.members ?? []).map(({ name }) => name);
  const stateOf = (name: Name) => memoryLedger([...entries[name]]).state();
  return { team, task, entries, told, sent, asked, open, unread, members, stateOf };
}
type Scene = Awaited<ReturnType<typeof start>>;

interface Handshake {
  readonly asker: Name;
  readonly decider: Name;
  request(asker: Membership): Promise<unknown>;
  /** True once all that was begun is done. */
  isOver(scene: Scene): boolean | Promise<boolean>;
  /** What holds then, at whichever write the victim was killed. */
  check(scene: Scene, victim: Victim): void | Promise<void>;
}
type Victim = "asker" | "decider";

const countOf = (texts: readonly string[], part: string) => texts.filter((text) => text.includes(part)).length;
/** The answers of each request that were sent: to send again is to send the same bytes. */
const answersIn = (texts: readonly string[], type: string) =>
  new Set(texts.filter((text) => text.includes(`"${type}"`)));
const outcomesOf = ({ stateOf }: Scene, asker: Name, kind: string) =>
  [...stateOf(asker).asked.values()]
    .filter(({ handshake }) => handshake === kind)
    .map(({ outcome }) => outcome?.result);
const isAllSent = ({ stateOf }: Scene, name: Name) => [...stateOf(name).decided.values()].every(({ isSent }) => isSent);

const question = { id: "q", call: "t1", tool: "Bash", input: { command: "ls" }, reason: "it lists", suggestions: [] };

const handshakes: Readonly<Record<"permission" | "plan" | "shutdown", Handshake>> = {
  permission: {
    asker: "alice",
    decider: lead,
    request: (asker) => asker.ask(question, new AbortController().signal),
    isOver: (scene) =>
      isAllSent(scene, lead) && outcomesOf(scene, "alice", "permission").every((result) => result !== undefined),
    check(scene, victim) {
      const { sent, told, asked } = scene;
      const results = outcomesOf(scene, "alice", "permission");
      const result = results.at(-1);
      // What was never sent was asked anew.
      expect(results.slice(0, -1).filter((one) => one !== "given_up")).toEqual([]);
      const answers = answersIn(sent.alice, "permission_response");
      expect(answers.size).toBeLessThanOrEqual(1);
      const isDecided = scene.stateOf(lead).decided.size;
      expect(isDecided).toBe(answers.size);
      if (victim === "decider") expect(result).toBe("allowed");
      else expect(asked.length + countOf(told[lead], "permission_request")).toBe(answers.size);
      expect(countOf(told.alice, "came after the request was given up")).toBe(result === "given_up" ? answers.size : 0);
    },
  },
  plan: {
    asker: "alice",
    decider: lead,
    request: (asker) => asker.handIn("first a, then b", "/p/plan.md"),
    isOver: (scene) => isAllSent(scene, lead) && outcomesOf(scene, "alice", "plan").at(-1) === "allowed",
    check(scene, victim) {
      const { told, sent, asked } = scene;
      expect(countOf(told.alice, "[Plan Approved]")).toBe(1);
      expect(answersIn(sent.alice, "plan_approval_response").size).toBe(1);
      const questions = asked.length + countOf(told[lead], "plan_approval_request");
      if (victim === "asker") expect(questions).toBe(1);
    },
  },
  shutdown: {
    asker: lead,
    decider: "alice",
    request: (asker) => asker.send({ kind: "shutdown_request", to: "alice", reason: "all is done" }),
    isOver: async (scene) =>
      outcomesOf(scene, lead, "shutdown").includes("allowed") && !(await scene.members()).includes("alice"),
    async check(scene, victim) {
      const { told, sent, asked, team, task } = scene;
      expect(answersIn(sent[lead], "shutdown_approved").size).toBe(1);
      expect(countOf(told[lead], "shutdown_approved")).toBe(1);
      expect((await team.tasks.get(task.id)).value?.owner).toBeUndefined();
      if (victim === "asker") expect(asked.length + countOf(told.alice, "shutdown_request")).toBe(1);
    },
  },
};

/** One handshake in which a process is killed after so many writes; what it wrote. */
async function run(revision: Revision, handshake: Handshake, victim: Victim, decider: Decider, writes: number) {
  const scene = await start(revision, decider);
  const mortal = lifeOf(writes);
  const lives = { asker: lifeOf(), decider: lifeOf(), [victim]: mortal };
  await scene.open(handshake.decider, lives.decider);
  const asker = await scene.open(handshake.asker, lives.asker);
  void handshake.request(asker).catch(() => {});
  const isDone = async () => {
    // Who has left reads nothing any more.
    const there = await scene.members();
    const unread = await Promise.all(names.filter((name) => there.includes(name)).map((name) => scene.unread(name)));
    const isAsked = scene.stateOf(handshake.asker).asked.size > 0;
    return isAsked && unread.every((count) => count === 0) && handshake.isOver(scene);
  };
  await untilSeen("the kill, or the end of it", async () => mortal.isOver() || isDone());
  const questionsBefore = scene.asked.length;
  const wasDecided = scene.stateOf(handshake.decider).decided.size > 0;
  if (mortal.isOver()) {
    const name = handshake[victim];
    if ((await scene.members()).includes(name)) {
      const next = await scene.open(name, lifeOf()).catch(unlessGone);
      // What was never sent is asked again by whom it was asked.
      if (next && victim === "asker" && !mortal.written.includes("send")) void handshake.request(next).catch(() => {});
    }
    await untilSeen("the end of it", isDone);
  }
  await handshake.check(scene, victim);
  if (wasDecided) expect(scene.asked.length, "asked again after the decision").toBe(questionsBefore);
  return { written: mortal.written, isKilled: mortal.isOver() };
}

/** A lead may remove who has agreed to end before that one begins again. */
function unlessGone(error: { readonly code?: unknown }): undefined {
  if (error.code !== "member_unknown") throw error;
}

const rows = revisions.flatMap((revision) =>
  deciders.flatMap((decider) =>
    (["permission", "plan", "shutdown"] as const).flatMap((name) =>
      (["asker", "decider"] as const).map((victim) => [name, victim, decider, revision] as const),
    ),
  ),
);

describe("killed between any two writes,", () => {
  test.for(rows)(
    "of a %s its %s loses nothing, asks nothing twice and comes to one outcome: %s decides, in %s",
    async ([name, victim, decider, revision]) => {
      const last = await run(revision, handshakes[name], victim, decider, Number.POSITIVE_INFINITY);
      expect(last.written.length).toBeGreaterThanOrEqual(4);
      for (let writes = 0; writes < last.written.length; writes += 1) {
        const { isKilled } = await run(revision, handshakes[name], victim, decider, writes);
        expect(isKilled, `killed after ${last.written.slice(0, writes).join(", ")}`).toBe(true);
      }
    },
  );
});
