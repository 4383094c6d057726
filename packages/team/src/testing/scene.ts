import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setImmediate as nextRound } from "node:timers/promises";
import { codecFor, isUnread, type MessageBody, type Revision } from "@troupe/protocol";
import type { Participant, Store, Team } from "@troupe/store";
import type { Ledger } from "../ledger/ledger.ts";
import { memoryLedger } from "../ledger/memory.ts";
import type { Member, TurnEnd } from "../member.ts";
import { type Membership, type MembershipDeps, openMembership } from "../membership.ts";
import type { Reply } from "../person.ts";

/** What is on the other side of a member that is judged: a model, a client, a person. */
interface OtherSide {
  /** What the member knows of its mail; undefined of a process, whose mail is its own. */
  readonly ledger: Ledger | undefined;
  /** What its other side was told, oldest first, in all its processes. */
  told(): readonly string[];
  /** The questions that were put to its other side, in all its processes. */
  asked(): number;
  /** Its other side takes what waits, and is at work once it was told something. */
  begin(): Promise<void>;
  /** Its other side is done with what it was at, and does nothing until the next begin. */
  end(end: TurnEnd): Promise<void>;
  isRunning(): boolean | Promise<boolean>;
}

/** A member that is judged, which the scene lets take part in the team. */
export interface Candidate extends OtherSide {
  readonly member: Member;
}

/** A member that is judged as a whole: it opens its membership and attends it by itself. */
export interface WholeCandidate extends OtherSide {
  readonly membership: Membership;
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

export interface CandidateDeps {
  /** Its part in the team, once that is open. */
  readonly membership: () => Membership;
  /** What a whole candidate opens its membership with. */
  readonly seat: Pick<MembershipDeps, "team" | "self" | "lead" | "plans" | "isSpawned">;
  /** What its other side says to every question, and to every request that it hears. */
  readonly reply: Reply;
}

/** A kind of member that is judged, as one member of one team. */
export interface MemberEngine<One extends Candidate | WholeCandidate = Candidate | WholeCandidate> {
  readonly kind: Member["kind"];
  /** Its candidates take part by themselves, and nobody sees their four calls. */
  readonly isWhole?: boolean;
  /** The member, as the process after the last one opens it. */
  open(deps: CandidateDeps): Promise<One>;
}

/** A candidate that takes part in a team. */
export interface Seated extends OtherSide {
  /** Its four calls; of a whole candidate undefined. */
  readonly member: Member | undefined;
  readonly membership: Membership;
  stop(reason: Parameters<Member["stop"]>[0]): Promise<void>;
  /** Takes what waits until so many messages were told, ending each turn. */
  hear(count: number): Promise<void>;
  /** Ends its process; what a crash would have left undone is undone. */
  kill(): Promise<void>;
}

interface SeatOptions {
  readonly name?: string;
  readonly reply?: Reply;
  /** It is killed before it acknowledges anything. */
  readonly isKilledEarly?: boolean;
}

/** A team with a lead, `alice` and `bob`, of whom one is judged. */
export interface MemberScene {
  readonly kind: Member["kind"];
  readonly team: Team;
  /** A member that sends, and holds nothing of its mail. */
  as(name: string): Promise<Participant>;
  /** Takes its place: alice's, unless it is said. */
  seat(options?: SeatOptions): Promise<Seated>;
  /** A member of ours on the other side of a question, which hears all it is told. */
  partner(name: string): Promise<Membership>;
  /** Texts in the mail of a member that nobody has taken. */
  unreadOf(name: string): Promise<readonly string[]>;
  /** Texts that the judged and its partners have sent a member. */
  sentTo(name: string): readonly string[];
  /** Those of one type among them. */
  bodiesTo<Type extends MessageBody["type"]>(
    name: string,
    type: Type,
  ): readonly Extract<MessageBody, { readonly type: Type }>[];
  /** Looks again until this is so. */
  until(isSo: () => Promise<boolean> | boolean): Promise<void>;
  close(): Promise<void>;
}

const lead = "team-lead";
const allow: Reply = { behavior: "allow" };

/** The team in which a member is judged, on a store with no data yet. */
export async function sceneOf(engine: MemberEngine, store: Store, revision: Revision): Promise<MemberScene> {
  const at = { cwd: "/p", createdAt: 1_770_000_000_000 };
  const leading = { leadSessionId: "b7f5edcc-898c-4e36-983f-1c2e8fec7d28", leadModel: "m", revision };
  const team = await store.createTeam({ ...at, ...leading, name: "crew" });
  for (const name of ["alice", "bob"])
    await team.join({ name, agentType: "worker", model: "m", prompt: "go", joinedAt: at.createdAt, cwd: at.cwd });
  const over = new AbortController();
  const endings: (() => Promise<void>)[] = [];
  const faults: unknown[] = [];
  const sent: (readonly [to: string, text: string])[] = [];

  const seatOf = (self: Participant): CandidateDeps["seat"] => ({
    team,
    self: {
      ...self,
      async send(to, content, stamp) {
        const message = await self.send(to, content, stamp);
        sent.push([to, message.entry.text]);
        return message;
      },
    },
    lead,
    // A person is asked about a plan and does not hear it.
    plans: engine.kind === "person" ? "user" : "lead",
    isSpawned: true,
  });

  const membershipOf = (seat: CandidateDeps["seat"], ledger: () => Ledger): Membership =>
    openMembership({
      ...seat,
      ledger,
      // The lead is there as long as the team is.
      leadWatch: { loss: async () => undefined, gone: () => new Promise(() => {}) },
      now: () => new Date(),
      newId: randomUUID,
      show: () => {},
    });

  /** A look that fails is made again, so that what is wrong with one is kept until the end. */
  function watched({ member, ledger }: Candidate): Member {
    const owned = new Set<string>();
    return {
      ...member,
      async hear(messages) {
        const keys = await member.hear(messages);
        try {
          for (const key of keys) {
            assert(
              messages.some(({ message }) => message.key === key),
              `${key} was owned and not offered`,
            );
            assert(ledger?.state().delivered.has(key), `${key} was owned and is not in the ledger`);
            assert(!owned.has(key), `${key} was owned twice`);
            owned.add(key);
          }
        } catch (fault) {
          faults.push(fault);
        }
        return keys;
      },
    };
  }

  async function seat({ name = "alice", reply = allow, isKilledEarly = false }: SeatOptions = {}): Promise<Seated> {
    const self = await team.as(name);
    const noMore = async () => {
      throw new Error("it is killed before it acknowledges anything");
    };
    const receive = async () => ({ ...(await self.receive()), acknowledge: noMore });
    const place = seatOf(isKilledEarly ? { ...self, receive } : self);
    const { candidate, stop, kill, membership, member } = await opened(place, reply);
    endings.push(kill);
    const unlessKilled = (work: Promise<void>) =>
      work.catch((error: unknown) => (isKilledEarly ? undefined : Promise.reject(error)));
    const begin = () => unlessKilled(candidate.begin());
    const end = (one: TurnEnd) => unlessKilled(candidate.end(one));
    return {
      ...candidate,
      begin,
      end,
      member,
      membership,
      stop,
      kill,
      async hear(count) {
        while (!over.signal.aborted && candidate.told().length < count) {
          await begin();
          await end({ text: "" });
          await nextRound();
        }
      },
    };
  }

  /** A candidate at its place: a whole one sits there already, any other is attended. */
  async function opened(place: CandidateDeps["seat"], reply: Reply) {
    let open: Membership | undefined;
    const membership = () => {
      open ??= membershipOf(place, () => candidate.ledger ?? memoryLedger());
      return open;
    };
    const candidate = await engine.open({ membership, reply, seat: place });
    if ("membership" in candidate) {
      const { stop } = candidate;
      return { candidate, membership: candidate.membership, member: undefined, stop, kill: stop };
    }
    const ending = new AbortController();
    const attending = membership().attend(watched(candidate), ending.signal);
    attending.catch(() => {});
    const { stop } = candidate.member;
    const kill = async () => {
      ending.abort();
      await attending.catch(() => {});
      await membership()
        .close()
        .catch(() => {});
    };
    return { candidate, membership: membership(), member: candidate.member, stop, kill };
  }

  async function partner(name: string): Promise<Membership> {
    const ledger = memoryLedger();
    const membership = membershipOf(seatOf(await team.as(name)), () => ledger);
    const member: Member = {
      kind: "session",
      hear(messages) {
        for (const { entry } of messages) ledger.append(entry);
        return messages.map(({ message }) => message.key);
      },
      turnEnded: async () => undefined,
      ask: () => undefined,
      stop: async () => {},
    };
    void membership.attend(member, over.signal);
    endings.push(membership.close);
    return membership;
  }

  const sentTo = (name: string) => sent.flatMap(([to, text]) => (to === name ? [text] : []));
  return {
    kind: engine.kind,
    team,
    as: team.as,
    seat,
    partner,
    sentTo,
    bodiesTo: (name, type) =>
      sentTo(name).flatMap((text) => {
        const read = codecFor(team.form).readBody(text);
        return read.kind === "message" && read.body.type === type ? [read.body as never] : [];
      }),
    async unreadOf(name) {
      const { value = [] } = await team.mail(name).page();
      return value.filter(({ entry }) => isUnread(entry)).map(({ entry }) => entry.text);
    },
    async until(isSo) {
      while (!over.signal.aborted && !(await isSo())) await nextRound();
    },
    async close() {
      over.abort();
      for (const end of endings.reverse()) await end();
      await store.close();
      if (faults.length > 0) throw faults[0];
    },
  };
}
