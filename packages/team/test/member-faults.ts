import type { Incoming, Member } from "../src/member.ts";
import {
  acpDouble,
  type Candidate,
  type MemberEngine,
  mcpDouble,
  memoryLedger,
  personDouble,
  processDouble,
  sessionDouble,
} from "../src/testing/index.ts";

/** What a member does otherwise than the double of its kind. */
type MemberFault = (candidate: Candidate) => Partial<Member>;

export const faultyMember = (engine: MemberEngine<Candidate>, fault: MemberFault): MemberEngine => ({
  ...engine,
  async open(deps) {
    const candidate = await engine.open(deps);
    return { ...candidate, member: { ...candidate.member, ...fault(candidate) } };
  },
});

const keysOf = (messages: readonly Incoming[]) => messages.map(({ message }) => message.key);

/** Each with a part of the name of the law by which it is found. */
export const memberFaults: Readonly<
  Record<string, readonly [law: string, engine: () => MemberEngine<Candidate>, fault: MemberFault]>
> = {
  "what is offered is owned and told nobody": [
    "each message is told once",
    sessionDouble,
    ({ ledger }) => ({
      hear(messages) {
        for (const { entry } of messages) ledger?.append(entry);
        return keysOf(messages);
      },
    }),
  ],
  "what is told is never owned": [
    "each message is told once",
    personDouble,
    ({ member }) => ({ hear: async (messages) => (await member.hear(messages)).slice(0, 0) }),
  ],
  "what is owned does not stand in the ledger": [
    "each message is told once",
    acpDouble,
    ({ told }) => ({
      hear(messages) {
        (told() as string[]).push(...messages.flatMap(({ texts }) => texts));
        return keysOf(messages);
      },
    }),
  ],
  "the newest is told first": [
    "each message is told once",
    personDouble,
    ({ member }) => ({ hear: (messages) => member.hear(messages.toReversed()) }),
  ],
  "a message is heard in the middle of a turn": [
    "between the beginning and the end",
    acpDouble,
    ({ told, ledger }) => ({
      hear(messages) {
        for (const { entry, texts } of messages) {
          (told() as string[]).push(...texts);
          ledger?.append(entry);
        }
        return keysOf(messages);
      },
    }),
  ],
  "what was left in a turn is owned all the same": [
    "between the beginning and the end",
    sessionDouble,
    ({ member, ledger }) => ({
      async hear(messages) {
        await member.hear(messages);
        for (const { entry } of messages) ledger?.append(entry);
        return keysOf(messages);
      },
    }),
  ],
  "what was handed out is told again after a crash": [
    "not told again by the process after",
    mcpDouble,
    ({ ledger }) => {
      Object.assign(ledger ?? {}, memoryLedger());
      return {};
    },
  ],
  "a foreign program's mail is taken for it": [
    "left to it",
    processDouble,
    () => ({ hear: (messages) => keysOf(messages) }),
  ],
  "a foreign program is asked to its face": [
    "left to it",
    processDouble,
    () => ({ ask: async () => ({ behavior: "allow" }) }),
  ],
  "each end of a turn is told twice": [
    "each end of a turn once",
    sessionDouble,
    ({ member }) => {
      let last: Awaited<ReturnType<Member["turnEnded"]>>;
      return {
        async turnEnded(signal) {
          const again = last;
          last = again ? undefined : await member.turnEnded(signal);
          return again ?? last;
        },
      };
    },
  ],
  "a failure is told as an end like any other": [
    "each end of a turn once",
    acpDouble,
    ({ member }) => ({
      turnEnded: async (signal) => {
        const end = await member.turnEnded(signal);
        return end && { text: end.text };
      },
    }),
  ],
  "a person has turns": [
    "without turns tells of none",
    personDouble,
    () => ({ turnEnded: async () => ({ text: "" }) }),
  ],
  "the signal of a wait is not looked at": [
    "does not wait for the end of a turn",
    mcpDouble,
    ({ member }) => ({ turnEnded: () => member.turnEnded(new AbortController().signal) }),
  ],
  "a stop is a wish": ["when a stop resolves", acpDouble, () => ({ stop: async () => {} })],
  "a stop ends what runs and not what hears": [
    "when a stop resolves",
    personDouble,
    ({ told, ledger }) => ({
      async hear(messages) {
        for (const { entry, texts } of messages) {
          (told() as string[]).push(...texts);
          ledger?.append(entry);
        }
        return keysOf(messages);
      },
    }),
  ],
  "a second stop is an error": [
    "when a stop resolves",
    processDouble,
    ({ member }) => {
      let isStopped = false;
      return {
        async stop(reason) {
          if (isStopped) throw new Error("it does not run");
          isStopped = true;
          await member.stop(reason);
        },
      };
    },
  ],
  "each question is put twice": [
    "is asked once",
    personDouble,
    ({ member }) => ({
      ask(question, signal) {
        void member.ask(question, signal);
        return member.ask(question, signal);
      },
    }),
  ],
  "whatever is asked is allowed": [
    "refuses a call is quoted",
    sessionDouble,
    () => ({ ask: async () => ({ behavior: "allow" }) }),
  ],
  "plans are for nobody": ["answers a plan", sessionDouble, () => ({ hear: () => [] })],
  "whoever is asked to end ends": [
    "refuses to end says why",
    acpDouble,
    () => ({ ask: async () => ({ behavior: "allow" }) }),
  ],
  "nobody is ever asked to end": ["agrees to end", acpDouble, () => ({ ask: () => new Promise(() => {}) })],
};
