import assert from "node:assert/strict";
import { type Revision, revisions } from "@troupe/protocol";
import type { Store } from "@troupe/store";
import { type DefineTest, judge, type Law } from "@troupe/store/testing";
import type { Incoming, Member } from "../member.ts";
import type { Reply } from "../person.ts";
import { partLaws } from "./part-laws.ts";
import { type MemberEngine, type MemberScene, sceneOf } from "./scene.ts";

/** What a kind of member does: has mail that is handed to it, works in turns, leads a team. */
type Part = "mail" | "turns" | "lead";

/** What each kind does; none can excuse itself. */
const partsOf: Readonly<Record<Member["kind"], readonly Part[]>> = {
  session: ["mail", "turns", "lead"],
  acp: ["mail", "turns"],
  mcp: ["mail", "turns", "lead"],
  person: ["mail", "lead"],
  process: [],
};

/** A law of the kinds that do something, of those that do not, or of all. */
export interface MemberLaw extends Law<MemberScene> {
  readonly of?: Part | undefined;
  readonly notOf?: Part | undefined;
  /** Of the four calls, which a whole candidate keeps to itself. */
  readonly isOfCalls?: boolean;
}

const never = () => new AbortController().signal;
const deny: Reply = { behavior: "deny", message: "not yet" };
const countOf = (told: readonly string[], word: string) => told.filter((one) => one.includes(word)).length;

const mailLaws: readonly MemberLaw[] = [
  {
    name: "each message is told once, those of a sender in their order, and is acknowledged once it stands in the ledger",
    of: "mail",
    async holds({ seat, as, unreadOf, until }) {
      const [alice, bob, lead] = [await seat(), await as("bob"), await as("team-lead")];
      await bob.send("alice", { text: "b1 word" });
      await lead.send("alice", { text: "l1 word" });
      await bob.send("alice", { text: "b2 word" });
      await alice.hear(3);
      await bob.send("alice", { text: "b3 word" });
      await alice.hear(4);
      await alice.begin();
      await until(async () => (await unreadOf("alice")).length === 0);
      assert.equal(alice.ledger?.state().delivered.size, 4, "what was acknowledged is not in the ledger");
      const words = alice.told().map((one) => /\w\d(?= word)/.exec(one)?.[0]);
      assert.deepEqual([...words].sort(), ["b1", "b2", "b3", "l1"]);
      assert.deepEqual(
        words.filter((word) => word?.startsWith("b")),
        ["b1", "b2", "b3"],
      );
    },
  },
  {
    name: "between the beginning and the end of a turn nothing is heard, and what was left is offered again with what came since",
    of: "turns",
    async holds({ seat, as, unreadOf }) {
      const [alice, bob] = [await seat(), await as("bob")];
      await bob.send("alice", { text: "first word" });
      for (; alice.told().length === 0; ) await alice.begin();
      for (const text of ["second word", "third word"]) {
        await bob.send("alice", { text });
        await alice.membership.offer();
        assert.equal(alice.told().length, 1, "something was heard in the middle of a turn");
        assert((await unreadOf("alice")).includes(text), "what was not heard does not wait");
      }
      await alice.end({ text: "" });
      await alice.hear(3);
      assert.deepEqual(
        ["first", "second", "third"].map((word) => countOf(alice.told(), word)),
        [1, 1, 1],
      );
    },
  },
  {
    name: "what stands in the ledger is not told again by the process after one that was killed before it acknowledged",
    of: "mail",
    async holds({ seat, as, until }) {
      const [first, bob] = [await seat({ isKilledEarly: true }), await as("bob")];
      await bob.send("alice", { text: "first word" });
      await until(async () => {
        await first.begin();
        await first.end({ text: "" });
        return first.ledger?.state().delivered.size === 1;
      });
      await first.begin();
      await first.kill();
      const second = await seat();
      await bob.send("alice", { text: "second word" });
      await second.hear(2);
      await second.begin();
      assert.deepEqual([countOf(second.told(), "first"), countOf(second.told(), "second")], [1, 1]);
    },
  },
  {
    name: "the mail of a member that reads its own inbox is left to it, and so are its questions",
    notOf: "mail",
    isOfCalls: true,
    async holds({ seat, as, unreadOf }) {
      const { member } = await seat();
      assert(member, "its calls are there to be judged");
      const sent = await (await as("bob")).send("alice", { text: "hello" });
      const incoming: Incoming = {
        message: sent,
        texts: ["hello"],
        entry: { kind: "delivered", key: sent.key, from: "bob" },
      };
      assert.deepEqual(await member.hear([incoming]), []);
      assert.equal(
        member.ask({ kind: "shutdown", id: "1", from: { name: "team-lead" }, reason: "" }, never()),
        undefined,
      );
      assert.deepEqual(await unreadOf("alice"), ["hello"]);
    },
  },
];

const turnLaws: readonly MemberLaw[] = [
  {
    name: "the lead is told of each end of a turn once, in order, and of a turn that failed why",
    of: "turns",
    async holds({ seat, as, bodiesTo, sentTo, until, team }) {
      const [alice, bob] = [await seat(), await as("bob")];
      const notices = () => bodiesTo("team-lead", "idle_notification");
      const ends = [
        { text: "first" },
        { text: "second", failure: { why: "budget", message: "no tokens are left" } },
        { text: "third" },
      ];
      for (const [at, end] of ends.entries()) {
        await bob.send("alice", { text: `word ${at}` });
        for (; alice.told().length <= at; ) await alice.begin();
        await alice.end(end);
        await until(() => notices().length > at);
      }
      await alice.stop("left");
      // One revision has no place for what was said last.
      const texts = team.form === "2026-11" ? ["first", "second", "third"] : [undefined, undefined, undefined];
      assert.deepEqual(
        notices().map(({ result }) => result),
        texts,
      );
      assert.equal(countOf(sentTo("team-lead"), "no tokens are left"), 1);
    },
  },
  {
    name: "a member without turns tells of none",
    notOf: "turns",
    isOfCalls: true,
    async holds({ seat }) {
      const { member } = await seat();
      assert(member, "its calls are there to be judged");
      assert.equal(await member.turnEnded(never()), undefined);
    },
  },
  {
    name: "who does not wait for the end of a turn any more is told of none",
    isOfCalls: true,
    async holds({ seat }) {
      const { member } = await seat();
      assert(member, "its calls are there to be judged");
      const over = new AbortController();
      const end = member.turnEnded(over.signal);
      over.abort();
      assert.equal(await end, undefined);
    },
  },
  {
    name: "when a stop resolves nothing of the member runs, nothing is heard any more, and no turn ends; a second stop is no error",
    async holds({ seat, as, kind, unreadOf }) {
      const [alice, bob] = [await seat(), await as("bob")];
      await bob.send("alice", { text: "first word" });
      if (partsOf[kind].includes("mail")) for (; alice.told().length === 0; ) await alice.begin();
      assert(await alice.isRunning(), "it runs before it is stopped");
      const told = alice.told().length;
      const end = alice.member?.turnEnded(never());
      await alice.stop("killed");
      await alice.stop("killed");
      assert.equal(await alice.isRunning(), false);
      assert.equal(await end, undefined);
      await bob.send("alice", { text: "second word" });
      // The mail of one that takes part by itself is closed with it.
      await alice.membership.offer().catch(() => {});
      assert((await unreadOf("alice")).includes("second word"), "what nobody heard does not wait");
      assert.equal(alice.told().length, told);
    },
  },
];

/** What any member must keep to. */
export const memberLaws: readonly MemberLaw[] = [...mailLaws, ...turnLaws, ...partLaws(deny)];

/** The laws of one kind, or of the whole candidates of it. */
export const lawsOf = ({ kind, isWhole = false }: Pick<MemberEngine, "kind" | "isWhole">): readonly MemberLaw[] =>
  memberLaws.filter(({ of, notOf, isOfCalls = false }) => {
    const does = (part: Part) => partsOf[kind].includes(part);
    return (of === undefined || does(of)) && (notOf === undefined || !does(notOf)) && !(isWhole && isOfCalls);
  });

/** Holds one kind of member to one law, in a team on a store with no data yet. */
export const judgeLaw = async (
  law: MemberLaw,
  engine: MemberEngine,
  store: Store,
  revision: Revision,
  limitMs?: number,
): Promise<void> => judge(law, await sceneOf(engine, store, revision), limitMs);

export interface JudgeMemberDeps {
  readonly test: DefineTest;
  /** Called once a test. */
  readonly engine: () => MemberEngine;
  /** A store with no data yet; called once a test. */
  readonly store: () => Promise<Store>;
}

/** A test for every law of that kind, in both revisions. */
export function judgeMember({ test, engine, store }: JudgeMemberDeps): void {
  for (const revision of revisions)
    for (const law of lawsOf(engine()))
      test(`${revision}: ${law.name}`, async () => judgeLaw(law, engine(), await store(), revision));
}
