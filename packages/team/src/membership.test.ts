import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { revisions } from "@troupe/protocol";
import { expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../../../scripts/awaited.ts";
import { crew } from "../test/crew.ts";
import type { Incoming, Member } from "./member.ts";
import { openMembership } from "./membership.ts";
import { memoryLedger } from "./testing/index.ts";

test.for(revisions)(
  "in %s a request that a lead heard as a message is answered by its id, once, and no other is",
  async (revision) => {
    const { team } = await crew(revision, "alice");
    const open = async (name: string) => {
      const ledger = memoryLedger();
      const heard: Incoming[] = [];
      const membership = openMembership({
        team,
        self: await team.as(name),
        lead: "team-lead",
        ledger: () => ledger,
        leadWatch: { loss: async () => undefined, gone: () => new Promise(() => {}) },
        now: () => new Date(),
        newId: randomUUID,
        show: () => {},
      });
      const member: Member = {
        kind: "session",
        hear(messages) {
          for (const one of messages) {
            ledger.append(one.entry);
            heard.push(one);
          }
          return messages.map(({ message }) => message.key);
        },
        turnEnded: async () => undefined,
        ask: () => undefined,
        stop: async () => {},
      };
      const over = new AbortController();
      void membership.attend(member, over.signal);
      onTestFinished(async () => {
        over.abort();
        await membership.close();
      });
      return { membership, heard };
    };
    const [lead, alice] = [await open("team-lead"), await open("alice")];
    const question = { id: "q", call: "t1", tool: "Bash", input: { command: "ls" }, reason: "", suggestions: [] };
    const reply = alice.membership.ask(question, new AbortController().signal);
    const { id } = await untilSeen("the request", () => lead.heard[0]?.entry.opens);
    const deny = { behavior: "deny", message: "not now" } as const;
    expect(await lead.membership.answer("alice", "another id", deny)).toBeUndefined();
    expect(await lead.membership.answer("bob", id, deny)).toBeUndefined();
    expect(await lead.membership.answer("Alice", id, deny)).toBe(true);
    expect(await reply).toEqual(deny);
    expect(await lead.membership.answer("alice", id, { behavior: "allow" })).toBeUndefined();
    expect(lead.heard).toHaveLength(1);
  },
);

test.for(revisions)(
  "[RUNNER-08] in %s who asks nobody agrees to end by itself and ends, and what has a model leaves it to that",
  async (revision) => {
    const all = await crew(revision, "alice", "bob");
    const self = async (name: string) => all.team.as(name);
    const stopped: string[] = [];
    const heard: string[] = [];
    const open = async (name: string, answer: Member["ask"]) => {
      const ledger = memoryLedger();
      const membership = openMembership({
        team: all.team,
        self: await self(name),
        lead: "team-lead",
        ledger: () => ledger,
        leadWatch: { loss: async () => undefined, gone: () => new Promise(() => {}) },
        now: () => new Date(),
        newId: randomUUID,
        show: () => {},
        isSpawned: true,
      });
      const member: Member = {
        kind: "acp",
        hear(messages) {
          for (const { entry, texts } of messages) {
            ledger.append(entry);
            heard.push(`${name}: ${texts.join()}`);
          }
          return messages.map(({ message }) => message.key);
        },
        turnEnded: async () => undefined,
        ask: answer,
        stop: async (reason) => void stopped.push(`${name} ${reason}`),
      };
      const over = new AbortController();
      const attended = membership.attend(member, over.signal);
      onTestFinished(async () => {
        over.abort();
        await membership.close();
      });
      return { membership, attended };
    };
    const loop = await open("alice", async () => ({ behavior: "allow" }));
    const bob = await open("bob", () => undefined);
    const timestamp = new Date().toISOString();
    const stamp = (name: string) => ({ requestId: `shutdown-1@${name}`, from: "team-lead", timestamp });
    const lead = await self("team-lead");
    for (const name of ["alice", "bob"])
      await lead.send(name, { body: { type: "shutdown_request", reason: "enough", ...stamp(name) } });
    await awaited("the end of alice", loop.attended);
    await untilSeen("what bob's model is told", () => heard[0]);
    const answers = all.inboxIn("team-lead").map(({ from, body }) => [from, body]);
    expect(answers).toEqual([
      ["alice", expect.objectContaining({ type: "shutdown_approved", requestId: "shutdown-1@alice" })],
    ]);
    expect([loop.membership.isLeaving(), bob.membership.isLeaving()]).toEqual([true, false]);
    expect(heard).toEqual([expect.stringMatching(/^bob: .*asks you to end/s)]);
    expect(stopped).toEqual(["alice shutdown"]);
  },
);

test("a member whose team could not be read when it came enters it later", async () => {
  const { team } = await crew("2026-11", "alice");
  const ledger = memoryLedger();
  let fails = true;
  const membership = openMembership({
    team: {
      ...team,
      async config() {
        if (fails) throw new Error("the store is away");
        return team.config();
      },
    },
    self: await team.as("alice"),
    lead: "team-lead",
    ledger: () => ledger,
    leadWatch: { loss: async () => undefined, gone: () => new Promise(() => {}) },
    now: () => new Date(),
    newId: randomUUID,
    show: () => {},
  });
  await expect(membership.enter()).rejects.toThrow("the store is away");
  fails = false;
  await Promise.all([membership.enter(), membership.enter()]);
  expect(ledger.state().membership).toMatchObject({ team: "crew", name: "alice" });
  await membership.close();
});

test.for(["gone", "damaged"])(
  "a member goes on when its lead cannot be told that it is idle: the team is %s",
  async (state) => {
    const { root, team } = await crew("2026-02", "alice");
    const ledger = memoryLedger();
    const shown: string[] = [];
    const membership = openMembership({
      team,
      self: await team.as("alice"),
      lead: "team-lead",
      ledger: () => ledger,
      leadWatch: { loss: async () => undefined, gone: () => new Promise(() => {}) },
      now: () => new Date(),
      newId: randomUUID,
      show: (message) => shown.push(message),
    });
    let turns = 0;
    const over = new AbortController();
    const member: Member = {
      kind: "session",
      hear: () => [],
      async turnEnded() {
        turns += 1;
        if (turns === 2) over.abort();
        return { text: "" };
      },
      ask: () => undefined,
      stop: async () => {},
    };
    if (state === "gone") rmSync(join(root, "teams/crew"), { recursive: true });
    else writeFileSync(join(root, "teams/crew/config.json"), "[]");
    await membership.attend(member, over.signal);
    expect(turns).toBe(2);
    const because = "team-lead could not be told that alice is idle: ";
    expect([...new Set(shown)]).toEqual(state === "gone" ? [] : [expect.stringContaining(because)]);
    await membership.close();
  },
);
