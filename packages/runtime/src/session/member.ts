import { EventEmitter, once } from "node:events";
import type { Ask, CallQuestion, Incoming, Member, Question, TurnEnd } from "@troupe/team";
import type { Origin, Stored } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import type { Inputs } from "../loop/ports.ts";
import type { Permissions } from "../permissions/permissions.ts";
import { textBlocks } from "../queue.ts";

export interface SessionMemberDeps {
  readonly journal: Pick<Journal, "append">;
  /** Other inputs of the agent, which go before its mail. */
  readonly besides: Inputs;
  readonly permissions: Pick<Permissions, "setMode">;
  /** Of a lead: the person at its screen. A teammate's model hears what it is asked. */
  readonly ask?: Ask | undefined;
  /** When it hears its mail: at the end of its turn, unless it is said. */
  readonly deliverAt?: "turn" | "boundary" | undefined;
}

/** A session as a member of its team. */
export interface SessionMember extends Member {
  /** Hears what waits while this runs, which is before a turn; gives what was written down. */
  listen(offer: () => Promise<number>): Promise<readonly Stored[]>;
  /**
   * Within a turn: hears what waits where mail is heard between rounds, or where some is urgent.
   */
  overhear(offer: () => Promise<number>): Promise<readonly Stored[]>;
  /** Resolves when an urgent message waits; rejects when the signal fires. */
  urgency(signal: AbortSignal): Promise<void>;
  /**
   * Resolves when mail for the model waits; rejects when the signal fires, when it has ended, or
   * when the inbox cannot be used.
   */
  arrival(signal: AbortSignal, offer: () => Promise<number>): Promise<void>;
  /** A turn is over; resolves once the lead was told. */
  ended(end: TurnEnd): Promise<void>;
}

export function sessionMember({ journal, besides, permissions, ask, deliverAt }: SessionMemberDeps): SessionMember {
  const events = new EventEmitter();
  const closing = new AbortController();
  let heard: Stored[] | undefined;
  let waits = false;
  let isUrgent = false;
  let untold: { readonly end: TurnEnd; readonly told: () => void } | undefined;
  let telling: typeof untold;

  /**
   * Heard is written down, in one line with what the ledger says of it: a crash loses both or
   * neither.
   */
  function own({ message, texts, entry }: Incoming): Stored {
    const input = {
      id: message.key,
      priority: "next",
      origin: originOf(entry),
      content: texts.flatMap(textBlocks),
      delivered: entry,
    } as const;
    const stored = journal.append({ kind: "input", input });
    const { settles } = entry;
    if (settles?.handshake === "plan" && settles.mode !== undefined) permissions.setMode(settles.mode);
    return stored;
  }

  async function listen(offer: () => Promise<number>): Promise<readonly Stored[]> {
    const all: Stored[] = [];
    heard = all;
    try {
      await offer();
    } finally {
      heard = undefined;
    }
    return all;
  }

  return {
    kind: "session",

    hear(messages) {
      waits = messages.length > 0;
      isUrgent = messages.some(({ message }) => message.entry["urgent"] === true);
      events.emit("offered");
      if (!heard) return [];
      heard.push(...(waits ? besides.take() : []).map(({ input }) => journal.append({ kind: "input", input })));
      heard.push(...messages.map(own));
      waits = false;
      isUrgent = false;
      return messages.map(({ message }) => message.key);
    },

    async turnEnded(signal) {
      telling?.told();
      telling = undefined;
      while (!untold) if (!(await happens("ended", signal))) return undefined;
      telling = untold;
      untold = undefined;
      return telling.end;
    },

    ask: (question, signal) => {
      if (!ask || question.kind === "shutdown") return undefined;
      return ask(callOf(question), signal);
    },

    async stop() {
      closing.abort();
    },

    listen,

    async overhear(offer) {
      if (!isUrgent && deliverAt !== "boundary") return [];
      // A look that fails is made again after the next change, and cuts no second request.
      isUrgent = false;
      return listen(offer);
    },

    async urgency(signal) {
      while (!isUrgent) await once(events, "offered", { signal });
    },

    async arrival(signal, offer) {
      const either = AbortSignal.any([signal, closing.signal]);
      for (await offer(); !waits; await offer()) await once(events, "offered", { signal: either });
    },

    ended: (end) =>
      new Promise((told) => {
        untold = { end, told };
        events.emit("ended");
      }),
  };

  async function happens(event: string, signal: AbortSignal): Promise<boolean> {
    const either = AbortSignal.any([signal, closing.signal]);
    return once(events, event, { signal: either }).then(
      () => true,
      () => false,
    );
  }
}

/** An answer to a call that was given up is no word of a teammate. */
function originOf({ from, settles }: Incoming["entry"]): Origin {
  if (settles?.handshake === "permission") return { kind: "permission", call: settles.id };
  return { kind: "teammate", name: from };
}

/** A screen shows calls; a plan is shown as the call that hands it in. */
function callOf(question: Exclude<Question, { kind: "shutdown" }>): CallQuestion {
  if (question.kind === "permission") return question;
  const { id, from, plan } = question;
  const reason = `${from.name} asks to carry out its plan`;
  return { id, call: id, tool: "ExitPlanMode", input: { plan }, reason, suggestions: [], from };
}
