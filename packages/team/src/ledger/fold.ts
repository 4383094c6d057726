import { nameKey } from "@troupe/protocol";
import type { Decided, Handshake, LedgerEntry, Opening, Outcome } from "./entry.ts";
import { type Grown, nothing } from "./grown.ts";

/** What a member asked, and what came of it. */
export interface Asked {
  readonly handshake: Handshake;
  readonly to: string;
  readonly digest?: string | undefined;
  readonly outcome?: Outcome | undefined;
  /** It was given up, and its answer was heard all the same. */
  readonly isLate?: boolean | undefined;
}

/** What was decided about the request of another; the bytes are kept until they are sent. */
export type Decision = Omit<Decided, "kind" | "body" | "stamp" | "note"> &
  ({ readonly isSent: true } | ({ readonly isSent: false } & Pick<Decided, "body" | "stamp" | "note">));

/** What a member knows about its mail. */
export interface LedgerState {
  readonly membership: Extract<LedgerEntry, { kind: "joined" }> | undefined;
  readonly hasLeft: boolean;
  /** Keys of messages. */
  readonly delivered: Pick<Grown, "has" | "size" | "with">;
  /** Own requests by their ids, oldest first. */
  readonly asked: ReadonlyMap<string, Asked>;
  /** Requests of others that wait for the member's own answer, by `exchangeOf`. */
  readonly open: ReadonlyMap<string, Opening & { readonly from: string }>;
  /** Requests of others that it decided about, by `exchangeOf`. */
  readonly decided: ReadonlyMap<string, Decision>;
}

export const emptyLedger: LedgerState = {
  membership: undefined,
  hasLeft: false,
  delivered: nothing,
  asked: new Map(),
  open: new Map(),
  decided: new Map(),
};

/** What tells the request of a member from all others: its id is whatever that member makes it. */
export const exchangeOf = (name: string, id: string): string => JSON.stringify([nameKey(name), id]);

/** What was decided about the request of another. */
export const decisionOf = ({ decided }: LedgerState, to: string, id: string): Decision | undefined =>
  decided.get(exchangeOf(to, id));

/** The plan that counts: the last one that was handed in and not given up. */
export const lastPlan = ({ asked }: LedgerState): (Asked & { readonly id: string }) | undefined => {
  const plans = [...asked].filter(([, { handshake }]) => handshake === "plan");
  const found = plans.findLast(([, { outcome }]) => outcome?.result !== "given_up");
  return found && { id: found[0], ...found[1] };
};

/** True for a member that has agreed to end, whether or not its lead was told. */
export const hasAgreed = (state: LedgerState): boolean => agreementOf(state) !== undefined;

/** What it agreed to. */
export const agreementOf = ({ decided }: LedgerState): Decision | undefined =>
  [...decided.values()].find(({ handshake, result }) => handshake === "shutdown" && result === "allowed");

/** Pure and total: an entry that fits nowhere changes nothing. */
export function foldLedger(state: LedgerState, entry: LedgerEntry): LedgerState {
  switch (entry.kind) {
    case "joined":
      return joined(state, entry);
    case "left":
      return { ...state, hasLeft: true };
    case "delivered": {
      const { key, from, opens, settles } = entry;
      const delivered = { ...state, delivered: state.delivered.with(key) };
      return settled(opens ? opened(delivered, from, opens) : delivered, settles);
    }
    case "asked": {
      const { handshake, id, to, digest } = entry;
      return state.asked.has(id) ? state : { ...state, asked: put(state.asked, id, { handshake, to, digest }) };
    }
    case "settled":
      return settled(state, entry.outcome);
    case "decided": {
      const { kind: _, ...decision } = entry;
      const key = exchangeOf(entry.to, entry.id);
      const before = state.decided.get(key);
      if (before?.isSent && !mayChange(before)) return state;
      return { ...state, decided: put(state.decided, key, { ...decision, isSent: false }) };
    }
    case "answered":
      return answered(state, exchangeOf(entry.to, entry.id));
  }
}

/** A plan that was sent back may be approved later; all else is decided once. */
const mayChange = ({ handshake, result }: Decision): boolean => handshake === "plan" && result === "denied";

/** Of another team, and of the same name made later, nothing that was before is known. */
function joined(state: LedgerState, entry: Extract<LedgerEntry, { kind: "joined" }>): LedgerState {
  const { membership, hasLeft } = state;
  if (!membership && !hasLeft) return { ...state, membership: entry };
  const isSame = isMembership(state, entry);
  return isSame ? state : { ...emptyLedger, membership: entry };
}

/** True where a ledger goes on in this team, under this name. */
export const isMembership = (
  { membership, hasLeft }: LedgerState,
  { team, createdAt, name }: { readonly team: string; readonly createdAt: number; readonly name: string },
): boolean => !hasLeft && membership?.team === team && membership.createdAt === createdAt && membership.name === name;

/** Of plans only the last of a member waits. */
function opened(state: LedgerState, from: string, opening: Opening): LedgerState {
  const key = exchangeOf(from, opening.id);
  const isOlder = (other: Opening & { readonly from: string }) =>
    opening.handshake === "plan" && other.handshake === "plan" && nameKey(other.from) === nameKey(from);
  const others = [...state.open].filter(([, other]) => !isOlder(other));
  return { ...state, open: new Map([...others, [key, { ...opening, from }]]) };
}

/**
 * The first outcome counts; of a plan an approval also does behind a rejection, and what was given
 * up is known to be late once.
 */
function settled(state: LedgerState, outcome: Outcome | undefined): LedgerState {
  const asked = outcome && state.asked.get(outcome.id);
  if (!asked || asked.handshake !== outcome.handshake) return state;
  const { result } = asked.outcome ?? {};
  const isApproval = outcome.handshake === "plan" && outcome.result === "allowed";
  const counts = result === undefined || (isApproval && result === "denied");
  if (counts) return { ...state, asked: put(state.asked, outcome.id, { ...asked, outcome }) };
  if (result !== "given_up" || outcome.result === "given_up") return state;
  return { ...state, asked: put(state.asked, outcome.id, { ...asked, isLate: true }) };
}

function answered(state: LedgerState, key: string): LedgerState {
  const decision = state.decided.get(key);
  if (!decision || decision.isSent) return state;
  const { body: _, stamp: __, note: ___, ...rest } = decision;
  const decided = put(state.decided, key, { ...rest, isSent: true });
  if (mayChange(decision)) return { ...state, decided };
  return { ...state, decided, open: new Map([...state.open].filter(([one]) => one !== key)) };
}

const put = <Value>(map: ReadonlyMap<string, Value>, key: string, value: Value): ReadonlyMap<string, Value> =>
  new Map(map).set(key, value);
