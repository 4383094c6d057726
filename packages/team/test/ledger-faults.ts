import type { Backend } from "../src/backend.ts";
import type { LedgerEntry } from "../src/ledger/entry.ts";
import { foldLedger } from "../src/ledger/fold.ts";
import type { Ledger } from "../src/ledger/ledger.ts";
import { memoryLedger } from "../src/testing/index.ts";

type LedgerFault = (ledger: Ledger, entries: LedgerEntry[]) => Partial<Ledger>;

export const ledgerFaults: Readonly<Record<string, readonly [law: string, fault: LedgerFault]>> = {
  "an entry is known and not kept": [
    "is known after a kill",
    (ledger) => {
      let state = ledger.state();
      return {
        state: () => state,
        append: (entry) => {
          state = foldLedger(state, entry);
        },
      };
    },
  ],
  "an entry is kept a moment later": [
    "hides none before it",
    (ledger) => {
      const waiting: LedgerEntry[] = [];
      return {
        append(entry) {
          for (const one of waiting.splice(0)) ledger.append(one);
          waiting.push(entry);
        },
      };
    },
  ],
  "an entry is kept and not known": [
    "the fold of what was appended",
    (_, entries) => ({ append: (entry) => entries.push(entry) }),
  ],
  "a new team goes on where the one before was": [
    "begins with an empty ledger",
    (ledger) => ({
      append(entry) {
        if (entry.kind !== "joined" || !ledger.state().membership) ledger.append(entry);
      },
    }),
  ],
  "a look is a look at what will be": [
    "is not changed by what it learns",
    (ledger) => ({
      state: () =>
        new Proxy(ledger.state(), { get: (_, field) => ledger.state()[field as keyof ReturnType<Ledger["state"]>] }),
    }),
  ],
};

export const faultyLedger = (fault: LedgerFault) => {
  const entries: LedgerEntry[] = [];
  return {
    async open() {
      const ledger = memoryLedger(entries);
      return { ...ledger, ...fault(ledger, entries) };
    },
    kill: async () => {},
    close: async () => {},
  };
};

const crew = { team: "crew", teamCreatedAt: 1_770_000_000_000 };

type BackendFault = (backend: Backend) => Partial<Backend>;

export const backendFaults: Readonly<Record<string, readonly [law: string, fault: BackendFault]>> = {
  "the teammates of all teams are listed": [
    "for its own team alone",
    ({ list }) => ({
      list: async () => [...(await list(crew)), ...(await list({ ...crew, team: "other" }))],
    }),
  ],
  "a signal that has fired is not looked at": [
    "nothing is left",
    ({ spawn }) => ({ spawn: (spec) => spawn(spec, new AbortController().signal) }),
  ],
  "what did not become ready runs on": [
    "nothing is left",
    ({ spawn }) => ({
      async spawn(spec, signal) {
        return spawn(spec, signal).catch(async (error) => {
          await spawn({ ...spec, prompt: "go" }, new AbortController().signal);
          throw error;
        });
      },
    }),
  ],
  "a stop stops nobody": ["when a stop resolves", () => ({ stop: async () => {} })],
  "a stop stops all": [
    "when a stop resolves",
    ({ stop, list }) => ({
      async stop({ team }, graceMs) {
        for (const one of await list({ ...crew, team })) await stop(one, graceMs);
      },
    }),
  ],
  "an end is not told": [
    "ends with its end",
    ({ observe }) => ({
      async *observe(one, signal) {
        for await (const seen of observe(one, signal)) if (seen.kind !== "ended") yield seen;
      },
    }),
  ],
  "who looks away ends what was looked at": [
    "to observe ends with the signal",
    ({ observe, stop }) => ({
      async *observe(one, signal) {
        yield* observe(one, signal);
        await stop(one, 0);
      },
    }),
  ],
  "what has no member is taken over": [
    "after a crash of its lead",
    ({ list }) => ({ recover: async (team) => ({ adopted: await list(team), removed: [] }) }),
  ],
  "all is ended after a crash": [
    "after a crash of its lead",
    ({ recover }) => ({ recover: (team) => recover(team, new Set()) }),
  ],
  "a team is known by its name alone": [
    "a later team of the same name",
    ({ recover }) => ({ recover: (team, members) => recover({ ...team, ...crew }, members) }),
  ],
};
