import {
  codecFor,
  type Member as Entry,
  isObject,
  type MessageBody,
  type MessageDraft,
  readJson,
} from "@troupe/protocol";
import { memberOf } from "@troupe/protocol/rules";
import type { SendMessageOutput202602, SendMessageRequest } from "@troupe/protocol/tools";
import type { Message, Participant, Stamp, Team } from "@troupe/store";
import { eventIn } from "../events.ts";
import type { Decided, Handshake, Opening, Outcome } from "../ledger/entry.ts";
import type { Decision, LedgerState } from "../ledger/fold.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Incoming, Member } from "../member.ts";
import { denied, type Question, type Reply } from "../person.ts";
import { teammateMessage } from "../words.ts";

/**
 * What is answered to the requests of others: decided, sent, answered are three steps that are done
 * to their end also by the process after this one.
 */
export interface Answers {
  /**
   * Writes down what was decided, sends it, and writes down that it is sent. False where another
   * process of this member has answered the request before, which is shown.
   */
  give(
    about: Pick<Decided, "handshake" | "id" | "to" | "result">,
    bodyAt: (timestamp: string) => MessageDraft,
    note?: string,
  ): Promise<boolean>;
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
  readonly team: Pick<Team, "name" | "form" | "config" | "tasks" | "leave" | "history">;
  readonly self: Pick<Participant, "name" | "send">;
  /** The name of who leads, which may be this one. */
  readonly lead: string;
  readonly ledger: () => Ledger;
  readonly answers: Answers;
  /** Asks the member; undefined where it hears the question as a message. */
  readonly ask: (question: Question, over?: AbortSignal) => ReturnType<Member["ask"]>;
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
  { team }: { readonly team: Pick<HandshakeDeps["team"], "form"> },
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

/**
 * Asks the member about the request of another, until the asker records that it was answered: from
 * another terminal, say. What the asker says of its own request allows nothing: the answer that was
 * sent counts, and where none was it is a denial. Undefined where the member hears the question as
 * a message.
 */
export function askUntilSettled(
  { ask, team, signal }: Pick<HandshakeDeps, "ask" | "team" | "signal">,
  question: Question,
  request: { readonly handshake: Handshake; readonly from: string; readonly id: string },
): Promise<Reply> | undefined {
  const over = new AbortController();
  const asked = ask(question, over.signal);
  if (!asked) return undefined;
  const elsewhere = closedIn(team, request, AbortSignal.any([signal, over.signal]));
  return Promise.race([asked, elsewhere]).finally(() => over.abort());
}

/** A denial once the asker records that it heard an answer; never settles where it records none. */
async function closedIn(
  team: Pick<Team, "history">,
  { handshake, from, id }: { readonly handshake: Handshake; readonly from: string; readonly id: string },
  signal: AbortSignal,
): Promise<Reply> {
  try {
    for await (const recorded of team.history(undefined, signal)) {
      const event = eventIn(recorded);
      if (event?.kind !== handshake || recorded.by !== from || event.id !== id) continue;
      if (event.phase === "allowed" || event.phase === "denied") return denied("it was answered from another terminal");
    }
  } catch {
    // A history that cannot be read tells nothing: the question stays.
  }
  return new Promise(() => {});
}

/**
 * Whether the message that stands there is the answer that was sent with this stamp, and not one
 * that came before it: in one revision only what it says tells two of one moment apart.
 */
export function isOwnAnswer({ entry }: Message, { at, id }: Stamp, body: MessageDraft): boolean {
  if (entry.timestamp !== at) return false;
  if (entry.msg_id !== undefined) return entry.msg_id === id;
  const { value } = readJson(entry.text);
  const written = isObject(value) ? value : {};
  const isSame = ([field, value]: readonly [string, unknown]) => typeof value === "object" || written[field] === value;
  return Object.entries(body).every((one) => written[one[0]] === undefined || isSame(one));
}

/** The key under which one answer to a request is sent, whichever process sends it. */
export const answerKey = (handshake: Handshake, id: string, isAgain = false): string =>
  `${handshake} ${id}${isAgain ? " again" : ""}`;

/** Own requests of a sort that have no outcome. */
export const unsettled = ({ asked }: LedgerState, handshake: Handshake): readonly string[] =>
  [...asked].flatMap(([id, one]) => (one.handshake === handshake && !one.outcome ? [id] : []));
