import type { Backend } from "../backend.ts";
import { clientMember } from "../kinds/client.ts";
import { personMember } from "../kinds/person.ts";
import { processMember } from "../kinds/process.ts";
import { createTurnEnds } from "../kinds/turn-ends.ts";
import type { LedgerEntry } from "../ledger/entry.ts";
import { memoryLedger } from "../ledger/memory.ts";
import type { Incoming, Member, TurnEnd } from "../member.ts";
import type { Reply } from "../person.ts";
import { backendDouble } from "./backend-double.ts";
import type { Candidate, CandidateDeps, MemberEngine } from "./scene.ts";

/** What the other side of a double does, over all its processes. */
interface OtherSide {
  readonly entries: LedgerEntry[];
  readonly told: string[];
  asked: number;
}

const engineOf = (
  kind: Member["kind"],
  open: (
    other: OtherSide,
    deps: CandidateDeps,
  ) => Omit<Candidate, "told" | "asked"> | Promise<Omit<Candidate, "told" | "asked">>,
): MemberEngine<Candidate> => {
  const other: OtherSide = { entries: [], told: [], asked: 0 };
  return {
    kind,
    open: async (deps) => ({ ...(await open(other, deps)), told: () => other.told, asked: () => other.asked }),
  };
};

/** What a model does about a request that it heard: it answers by its own call. */
async function answerItself(
  { membership, reply }: CandidateDeps,
  { from, opens }: LedgerEntry & { kind: "delivered" },
) {
  if (!opens) return;
  const approve = reply.behavior === "allow";
  const words = reply.behavior === "deny" ? reply.message : "";
  const about = { to: from, requestId: opens.id, approve };
  if (opens.handshake === "permission") await membership().answer(from, opens.id, reply);
  else if (opens.handshake === "plan")
    await membership().send({ kind: "plan_approval_response", ...about, feedback: words });
  else await membership().send({ kind: "shutdown_response", ...about, reason: words });
}

/**
 * A session of ours: it hears when a turn begins, its person answers calls and plans, and its model
 * answers a request to end.
 */
export const sessionDouble = (): MemberEngine<Candidate> =>
  engineOf("session", (other, deps) => {
    const ledger = memoryLedger(other.entries);
    const ends = createTurnEnds();
    let heard: Incoming[] | undefined;
    let isBusy = false;
    return {
      ledger,
      member: {
        kind: "session",
        hear(messages) {
          if (!heard || ends.isClosed()) return [];
          for (const one of messages) {
            ledger.append(one.entry);
            other.told.push(one.texts.join("\n"));
            heard.push(one);
          }
          return messages.map(({ message }) => message.key);
        },
        turnEnded: ends.next,
        ask(question) {
          if (question.kind === "shutdown") return undefined;
          other.asked += 1;
          return Promise.resolve(deps.reply);
        },
        stop: async () => ends.close(),
      },
      async begin() {
        const all: Incoming[] = [];
        heard = isBusy ? undefined : all;
        try {
          await deps.membership().enter();
          await deps.membership().offer();
        } finally {
          heard = undefined;
        }
        isBusy ||= all.length > 0;
        for (const { entry } of all) await answerItself(deps, entry);
      },
      async end(end) {
        if (isBusy) ends.push(end);
        isBusy = false;
      },
      isRunning: () => !ends.isClosed(),
    };
  });

/** An agent over ACP: what it is prompted with is its own, and one prompt is out at a time. */
export const acpDouble = (): MemberEngine<Candidate> =>
  engineOf("acp", (other, deps) => {
    const ledger = memoryLedger(other.entries);
    const ends = createTurnEnds();
    let isPrompted = false;
    return {
      ledger,
      member: {
        kind: "acp",
        async hear(messages) {
          if (isPrompted || messages.length === 0 || ends.isClosed()) return [];
          isPrompted = true;
          await new Promise((accept) => setImmediate(accept));
          for (const { texts, entry } of messages) {
            other.told.push(texts.join("\n"));
            ledger.append(entry);
          }
          return messages.map(({ message }) => message.key);
        },
        turnEnded: ends.next,
        ask(question) {
          if (question.kind !== "shutdown") return undefined;
          other.asked += 1;
          if (deps.reply.behavior === "allow") isPrompted = false;
          return Promise.resolve(deps.reply);
        },
        stop: async () => ends.close(),
      },
      begin: async () => void (await deps.membership().offer()),
      async end(end) {
        if (isPrompted) ends.push(end);
        isPrompted = false;
      },
      isRunning: () => !ends.isClosed(),
    };
  });

/** A client over MCP: it asks for its mail, and answers what it was handed by its next calls. */
export const mcpDouble = (): MemberEngine<Candidate> =>
  engineOf("mcp", (other, deps) => {
    const ledger = memoryLedger(other.entries);
    const closing = new AbortController();
    const member = clientMember({ ledger, offer: () => deps.membership().offer() });
    let handed: readonly Incoming[] = [];
    let isWaiting = false;

    function wait(end?: TurnEnd): void {
      if (isWaiting) return;
      isWaiting = true;
      const reading = member.read(closing.signal, end).then((messages) => {
        isWaiting = false;
        handed = messages;
        other.told.push(...messages.map(({ texts }) => texts.join("\n")));
      });
      // Of a process that is killed nothing is read any more.
      reading.catch(() => {});
    }

    return {
      ledger,
      member: {
        ...member,
        async stop(reason) {
          closing.abort();
          await member.stop(reason);
        },
      },
      async begin() {
        if (handed.length === 0) wait();
        await deps.membership().offer();
      },
      async end(end) {
        const had = handed;
        if (had.length === 0) return;
        handed = [];
        for (const { entry } of had) {
          if (entry.opens) await member.answers(entry.opens.id);
          await answerItself(deps, entry);
        }
        wait(end);
        await deps.membership().offer();
      },
      isRunning: () => !closing.signal.aborted,
    };
  });

/** A person at a screen that shows at once what it is given. */
export const personDouble = (): MemberEngine<Candidate> =>
  engineOf("person", (other, deps) => {
    const ledger = memoryLedger(other.entries);
    let isOpen = true;
    const screen = {
      show: async (text: string) => void other.told.push(text),
      async ask(): Promise<Reply> {
        other.asked += 1;
        return deps.reply;
      },
      async close() {
        isOpen = false;
      },
    };
    return {
      ledger,
      member: personMember({ screen, ledger }),
      begin: async () => void (await deps.membership().offer()),
      end: async () => {},
      isRunning: () => isOpen,
    };
  });

/** A program of another make, which a backend runs. */
export const processDouble = (): MemberEngine<Candidate> =>
  engineOf("process", async (_, deps) => {
    const engine = backendDouble();
    const backend: Backend = await engine.open();
    const { team, self } = deps.membership();
    const spec = {
      team: team.name,
      teamCreatedAt: 0,
      name: self.name,
      revision: "2026-02",
      leadSessionId: "s",
      agentType: "x",
    } as const;
    const more = { model: "m", prompt: "go", mode: "default", planModeRequired: false, cwd: "/p" } as const;
    const signal = new AbortController().signal;
    const spawned = await backend.spawn({ ...spec, ...more, environment: {}, color: undefined }, signal);
    return {
      ledger: undefined,
      member: processMember({ backend, spawned, graceMs: 1_000 }),
      begin: async () => {},
      end: async () => {},
      isRunning: async () => (await engine.running(team.name)).includes(self.name),
    };
  });
