import { randomUUID } from "node:crypto";
import { isUnread, revisions } from "@troupe/protocol";
import type { Message } from "@troupe/store";
import { describe, expect, onTestFinished, test } from "vitest";
import { awaited } from "../../../scripts/awaited.ts";
import { type Crew, crew, writeForeign } from "../test/crew.ts";
import type { Taken } from "./handshakes/handshake.ts";
import { decisionOf } from "./ledger/fold.ts";
import { memoryLedger } from "./ledger/memory.ts";
import { createAnswers, openMailbox } from "./mailbox.ts";
import type { Incoming } from "./member.ts";

const timestamp = "2026-02-13T10:10:53.467Z";

/** Alice's mailbox, with a handshake and a member that hears what she is told to hear. */
async function mailboxOf(
  { team }: Crew,
  take: (message: Message) => Promise<Taken | undefined>,
  { memory = memoryLedger(), enter = async () => {} } = {},
) {
  const offers: (readonly string[])[] = [];
  let hears = (_: readonly Incoming[]): readonly Incoming[] => [];
  let look = () => {};
  const mailbox = openMailbox({
    team,
    self: await team.as("alice"),
    ledger: () => memory,
    handshakes: () => [{ take }],
    now: () => new Date(),
    newId: randomUUID,
    show: () => {},
    signer: undefined,
    enter,
    hear(messages) {
      offers.push(messages.map(({ message }) => message.entry.text));
      const owned = hears(messages);
      for (const { entry } of owned) memory.append(entry);
      look();
      return owned.map(({ message }) => message.key);
    },
  });
  onTestFinished(mailbox.close);
  return {
    ...mailbox,
    offers,
    listen: (which: typeof hears) => {
      hears = which;
    },
    until: (isSo: () => boolean) =>
      awaited(
        String(isSo),
        new Promise<void>((resolve) => {
          look = () => isSo() && resolve();
          look();
        }),
      ),
  };
}

const waits = async ({ team }: Crew) =>
  (await team.mail("alice").page()).value?.filter(({ entry }) => isUnread(entry)) ?? [];
const textsOf = (messages: readonly Message[]) => messages.map(({ entry }) => entry.text);

describe.each(revisions)("in %s", (revision) => {
  const start = () => crew(revision, "alice", "bob");
  const say = async ({ team }: Crew, text: string) => (await team.as("team-lead")).send("alice", { text });

  test("what a handshake is done with is acknowledged at any time, and the member is never offered it", async () => {
    const all = await start();
    const asked: string[] = [];
    const alice = await mailboxOf(all, async ({ entry }) => {
      asked.push(entry.text);
      return entry.text === "aside" ? "done" : undefined;
    });
    void alice.heed();
    for (const text of ["one", "aside", "two"]) await say(all, text);
    await alice.until(() => alice.offers.at(-1)?.join() === "one,two");
    await alice.look();
    expect(textsOf(await waits(all))).toEqual(["one", "two"]);
    expect(asked).toEqual(["one", "aside", "two"]);
    expect(alice.offers.flat()).not.toContain("aside");
  });

  test("[ATP-TSK-045] an assignment that a member sent itself is acknowledged, and costs it no turn", async () => {
    const all = await start();
    const alice = await mailboxOf(all, async () => undefined);
    const told = { type: "task_assignment", taskId: "1", subject: "s", description: "d", timestamp };
    for (const from of ["alice", "bob"])
      writeForeign(all.inboxOf("alice"), { from, text: JSON.stringify({ ...told, assignedBy: from }), timestamp });
    alice.listen((messages) => messages);
    expect(await alice.look()).toBe(0);
    expect(alice.offers.flat().map((text) => JSON.parse(text).assignedBy)).toEqual(["bob"]);
    expect(await waits(all)).toEqual([]);
  });

  test("a first look that fails is made again as the first, and what an earlier process heard is not offered by it", async () => {
    const all = await start();
    const { key } = await say(all, "heard before");
    const memory = memoryLedger();
    memory.append({ kind: "delivered", key, from: "team-lead" });
    let fails = true;
    const enter = async () => {
      if (fails) throw new Error("the store is away");
    };
    const alice = await mailboxOf(all, async () => undefined, { memory, enter });
    await expect(alice.look()).rejects.toThrow("the store is away");
    fails = false;
    expect([await alice.look(), alice.offers.flat(), await waits(all)]).toEqual([0, [], []]);
  });

  test("of two equal messages a handshake may be done with one, and the member hears the other once", async () => {
    const all = await start();
    let taken = 0;
    const alice = await mailboxOf(all, async () => (taken++ === 0 ? "done" : undefined));
    const twin = { from: "bob", text: "twin", timestamp };
    writeForeign(all.inboxOf("alice"), twin, twin);
    alice.listen((messages) => messages);
    expect(await alice.look()).toBe(0);
    expect(alice.offers.flat()).toEqual(["twin"]);
    expect(await waits(all)).toEqual([]);
  });

  test("what waits for a decision stays in the inbox, and what the member leaves is offered again with what came since", async () => {
    const all = await start();
    const alice = await mailboxOf(all, async ({ entry }) => (entry.text === "decide" ? "waits" : undefined));
    for (const text of ["one", "decide"]) await say(all, text);
    expect(await alice.look()).toBe(1);
    await say(all, "two");
    alice.listen((messages) => messages.filter(({ message }) => message.entry.text === "one"));
    expect(await alice.look()).toBe(1);
    expect(alice.offers).toEqual([["one"], ["one", "two"], ["two"]]);
    expect(textsOf(await waits(all))).toEqual(["decide", "two"]);
  });
});

test("an approval whose note was not sent is sent again with it, each in the bytes of the first try", async () => {
  const memory = memoryLedger();
  const sent: unknown[] = [];
  let isCut = true;
  const answers = createAnswers(
    {
      self: {
        send: async (to: string, content: object, stamp: unknown) => {
          if (isCut && "text" in content) throw new Error("killed");
          sent.push([to, content, stamp]);
          return { entry: { timestamp } };
        },
      } as never,
      ledger: () => memory,
      now: () => new Date(timestamp),
      newId: randomUUID,
      show: () => {},
    },
    () => {},
  );
  const about = { handshake: "permission", id: "perm-1", to: "alice", result: "allowed" } as const;
  const body = { type: "permission_response", request_id: "perm-1" } as never;
  const given = answers.give(about, () => body, "mind the tests");
  await expect(given).rejects.toThrow("killed");
  isCut = false;
  const decided = () => decisionOf(memory.state(), "alice", "perm-1");
  await answers.finish(decided());
  const stamp = { at: timestamp, id: expect.any(String) };
  const note = { text: "[Note] mind the tests", summary: "a note on the approval" };
  expect(sent).toEqual([
    ["alice", { body }, stamp],
    ["alice", { body }, stamp],
    ["alice", note, stamp],
  ]);
  expect(sent[1]).toEqual(sent[0]);
  await answers.finish(decided());
  expect(sent).toHaveLength(3);
});
