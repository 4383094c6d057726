import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFileStore } from "@troupe/store/files";
import type { LedgerEntry, TurnEnd } from "@troupe/team";
import { judgeMember, type MemberEngine, memoryLedger, type WholeCandidate } from "@troupe/team/testing";
import { describe, onTestFinished, test } from "vitest";
import { connect } from "../test/client.ts";
import { takeSeat } from "./seat.ts";

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), "troupe-mcp-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

interface Handed {
  readonly text: string;
  readonly notes?: readonly string[];
  readonly request?: { readonly id: string };
}

/**
 * The official client at a server of ours: it reads its mail, and answers what it is asked by
 * calls.
 */
function clientEngine(): MemberEngine<WholeCandidate> {
  const entries: LedgerEntry[] = [];
  const told: string[] = [];
  return {
    kind: "mcp",
    isWhole: true,
    async open({ seat, reply }) {
      const ledger = memoryLedger(entries);
      const store = openFileStore({ root: "/nowhere" });
      const taken = await takeSeat({ ...seat, store, ledger, now: () => new Date(), show: () => {} });
      const room = { store: taken.store, team: taken.team, now: taken.now, self: taken.self };
      const { use } = await connect({ role: "member", room, seat: async () => taken });
      let handed: readonly Handed[] = [];
      let isRunning = true;

      async function read(end: Partial<TurnEnd> = {}): Promise<void> {
        const how = { report: end.text, failed: end.failure?.message };
        const { structuredContent } = await use("read_mail", JSON.parse(JSON.stringify(how)));
        const { messages = [] } = (structuredContent ?? {}) as { messages?: Handed[] };
        handed = messages;
        for (const { text, notes = [] } of messages) told.push([text, ...notes].join("\n"));
      }

      return {
        membership: taken.membership,
        ledger,
        told: () => told,
        asked: () => 0,
        async begin() {
          if (handed.length === 0) await read();
        },
        async end(end) {
          if (handed.length === 0) return;
          const note = reply.behavior === "deny" ? { note: reply.message } : {};
          for (const { request } of handed)
            if (request) await use("answer_request", { id: request.id, approve: reply.behavior === "allow", ...note });
          await read(end);
        },
        isRunning: () => isRunning,
        async stop() {
          isRunning = false;
          await taken.close();
        },
      };
    },
  };
}

describe("a client over MCP:", () =>
  judgeMember({ test, engine: clientEngine, store: async () => openFileStore({ root: scratch() }) }));
