import { codecFor, type Member as Entry, type MessageBody, type MessageDraft } from "@troupe/protocol";
import { memberOf } from "@troupe/protocol/rules";
import type { SendMessageOutput202602, SendMessageRequest } from "@troupe/protocol/tools";
import type { Message, Participant, Team } from "@troupe/store";
import type { Decided, Handshake, Opening, Outcome } from "../ledger/entry.ts";
import type { Decision, LedgerState } from "../ledger/fold.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Incoming, Member } from "../member.ts";
import { teammateMessage } from "../words.ts";

/**
 * What is answered to the requests of others: decided, sent, answered are three steps that are done
 * to their end also by the process after this one.
 */
export interface Answers {
  /** Writes down what was decided, sends it, and writes down that it is sent. */
  give(
    about: Pick<Decided, "handshake" | "id" | "to" | "result">,
    bodyAt: (timestamp: string) => MessageDraft,
    note?: string,
  ): Promise<void>;
  /** Somebody is asked about this request, or its answer is being sent. */
  isServing(key: string): boolean;
  /**
   * Takes a request under its key: it waits in the inbox, and is looked at again once the answer is
   * given.
   */
  serve(key: string, to: string, work: Promise<void>, after?: () => Promise<void> | undefined): "waits";
  /** As `serve`, and resolves once the answer is given; one that fails is shown. */
  served(key: string, to: string, work: () => Promise<void>): Promise<void>;
  /** Sends what was decided, in the same bytes, where that was cut short. */
  finish(decision: Decision | undefined): Promise<void>;
}

/** What all three handshakes need of the membership they belong to. */
export interface HandshakeDeps {
  readonly team: Pick<Team, "name" | "form" | "config" | "tasks" | "leave">;
  readonly self: Pick<Participant, "name" | "send">;
  /** The name of who leads, which may be this one. */
  readonly lead: string;
  readonly ledger: () => Ledger;
  readonly answers: Answers;
  /** Asks the member; undefined where it hears the question as a message. */
  readonly ask: (question: Parameters<Member["ask"]>[0]) => ReturnType<Member["ask"]>;
  /** Fires when the membership ends; what waits then is not answered. */
  readonly signal: AbortSignal;
  readonly now: () => Date;
  readonly newId: () => string;
  /** Shows the user what went wrong. */
  readonly show: (message: string) => void;
}

/** One sort of request that an agent makes with SendMessage. */
export type RequestOf<Kind extends SendMessageRequest["kind"]> = Extract<SendMessageRequest, { readonly kind: Kind }>;

/** What came of it, in either revision. */
export type SendResult = SendMessageOutput202602;

/** Nothing was sent, and why. */
export const refused = (message: string): SendResult => ({ success: false, message });

/**
 * What becomes of a message: it needs nothing more, it stays in the inbox while somebody decides,
 * or the member hears it.
 */
export type Taken = "done" | "waits" | Incoming;

/** Reads a message of one type; undefined for any other. */
export function bodyOf<Type extends MessageBody["type"]>(
  { team }: Pick<HandshakeDeps, "team">,
  { entry }: Message,
  type: Type,
): Extract<MessageBody, { readonly type: Type }> | undefined {
  const read = codecFor(team.form).readBody(entry.text);
  return read.kind === "message" && read.body.type === type ? (read.body as never) : undefined;
}

/** A message that the member hears, with what stands behind it. */
export const heard = (
  message: Message,
  notes: readonly string[],
  more: { readonly opens?: Opening; readonly settles?: Outcome } = {},
): Incoming => ({
  message,
  texts: [teammateMessage(message.entry), ...notes],
  entry: { kind: "delivered", key: message.key, from: message.entry.from, ...more },
});

/** The entry of a name in the roster, in any spelling, as it is at this moment. */
export async function rosterEntry(team: Pick<Team, "config">, name: string): Promise<Entry | undefined> {
  const { value } = await team.config();
  return value && memberOf(value, name);
}

/** Own requests of a sort that have no outcome. */
export const unsettled = ({ asked }: LedgerState, handshake: Handshake): readonly string[] =>
  [...asked].flatMap(([id, one]) => (one.handshake === handshake && !one.outcome ? [id] : []));
