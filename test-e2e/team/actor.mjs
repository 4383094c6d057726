// A member of a team with a ledger file, in the test or in a process of its own, which ends itself
// with SIGKILL before the write behind so many of its own.
import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import { openFileStore } from "@troupe/store/files";
import { openLedgerFile, openMembership } from "@troupe/team";

const allow = /** @type {const} */ ({ behavior: "allow" });
const question = { id: "q", call: "t1", tool: "Bash", input: { command: "ls" }, reason: "it lists", suggestions: [] };

/** @param {string} root @param {string} name */
export const ledgerPath = (root, name) => `${root}/${name}.jsonl`;

/**
 * Takes part in the team; asks for this where it is said, and allows all that it is asked.
 * @param {{ root: string, name: string, request?: string | undefined, before?: (what: string) => void }} task
 */
export async function act({ root, name, request, before = () => {} }) {
  const store = openFileStore({ root });
  const found = await store.openTeam("crew");
  if (!found) throw new Error("there is no team");
  const file = await openLedgerFile({ path: ledgerPath(root, name) });
  const own = await found.as(name);
  /** @type {typeof file} */
  const ledger = {
    ...file,
    append(entry) {
      before(entry.kind);
      file.append(entry);
    },
  };
  const team = {
    ...found,
    leave: (/** @type {string} */ one) => {
      before("leave");
      return found.leave(one);
    },
  };
  /** @type {typeof own} */
  const self = {
    ...own,
    send(to, content, stamp) {
      before("send");
      return own.send(to, content, stamp);
    },
    async receive() {
      const lease = await own.receive();
      return {
        ...lease,
        acknowledge(keys) {
          before("acknowledge");
          return lease.acknowledge(keys);
        },
      };
    },
  };
  const membership = openMembership({
    team,
    self,
    lead: "team-lead",
    isSpawned: true,
    plans: "lead",
    ledger: () => ledger,
    leadWatch: { loss: async () => undefined, gone: () => new Promise(() => {}) },
    now: () => new Date(),
    newId: randomUUID,
    show: () => {},
  });
  const over = new AbortController();
  const attending = membership
    .attend(
      {
        kind: "session",
        hear(messages) {
          for (const { entry } of messages) ledger.append(entry);
          void answerOpen().catch(() => {});
          return messages.map(({ message }) => message.key);
        },
        turnEnded: async () => undefined,
        ask: ({ kind }) => (kind === "permission" ? Promise.resolve(allow) : undefined),
        stop: async () => {},
      },
      over.signal,
    )
    .catch(() => {});
  await membership.enter();
  await answerOpen();
  if (request === "permission") void membership.ask(question, over.signal).catch(() => {});
  if (request === "plan") void membership.handIn("first a, then b", "/p/plan.md").catch(() => {});
  if (request === "shutdown")
    void membership.send({ kind: "shutdown_request", to: "alice", reason: "all is done" }).catch(() => {});
  return {
    state: ledger.state,
    async close() {
      over.abort();
      await attending;
      await membership.close().catch(() => {});
      file.close();
      await store.close();
    },
  };

  async function answerOpen() {
    for (const { handshake, id, from } of ledger.state().open.values()) {
      const about = { to: from, requestId: id, approve: true };
      if (handshake === "plan") await membership.send({ kind: "plan_approval_response", ...about, feedback: "" });
      if (handshake === "shutdown") await membership.send({ kind: "shutdown_response", ...about, reason: "" });
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { writes, ...task } = JSON.parse(process.argv[2] ?? "");
  let count = 0;
  const before = (/** @type {string} */ what) => {
    if (count++ === writes) {
      process.kill(process.pid, "SIGKILL");
      // The signal may take a moment, in which nothing else is written.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    }
    console.log(`writes ${what}`);
  };
  await act({ ...task, before });
}
