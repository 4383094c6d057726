import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isUnread } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import type { LedgerEntry } from "@troupe/team";
import { judgeMember, type MemberEngine, memoryLedger, type WholeCandidate } from "@troupe/team/testing";
import { describe, onTestFinished, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import type { AgentTurn } from "./agent.ts";
import { openConversation } from "./conversation.ts";

/** An agent whose turns a test ends. */
function agentEngine(): MemberEngine<WholeCandidate> {
  const entries: LedgerEntry[] = [];
  const told: string[] = [];
  let asked = 0;
  return {
    kind: "acp",
    isWhole: true,
    async open({ seat, reply }) {
      const ledger = memoryLedger(entries);
      const ending = new AbortController();
      const { seat: taken, run } = await openConversation({
        ...seat,
        ledger,
        preset: { command: ["agent"], modes: {} },
        mode: "default",
        planModeRequired: false,
        server: "troupe",
        async mayEnd() {
          asked += 1;
          return reply;
        },
        now: () => new Date(),
        newId: randomUUID,
        show: () => {},
        signal: ending.signal,
      });
      let answer: ((turn: AgentTurn) => void) | undefined;
      const running = run(
        {
          modes: [],
          setMode: async () => {},
          gone: new Promise(() => {}),
          prompt: (words, signal) =>
            new Promise((resolve) => {
              answer = resolve;
              for (const one of words.split("</teammate-message>").slice(0, -1)) told.push(one);
              signal.addEventListener("abort", () => resolve({ stop: "cancelled", text: "" }));
            }),
        },
        false,
      );
      let isOver = false;
      running
        .catch(() => {})
        .then(() => {
          isOver = true;
        });
      const name = taken.membership.self.name;
      const unread = async () =>
        ((await taken.membership.team.mail(name).page()).value ?? []).some(({ entry }) => isUnread(entry));
      /** It has a prompt in hand, or has acknowledged all. */
      const settled = () => untilSeen("a prompt or an empty inbox", async () => answer || isOver || !(await unread()));
      const stop = async () => {
        ending.abort();
        await taken.close();
        await running.catch(() => {});
      };
      return {
        membership: taken.membership,
        ledger,
        told: () => told,
        asked: () => asked,
        async begin() {
          await taken.membership.offer();
          await settled();
        },
        async end({ text, failure }) {
          const done = answer;
          answer = undefined;
          done?.({ stop: "end_turn", text, fault: failure?.message });
          await settled();
        },
        isRunning: () => !ending.signal.aborted,
        stop,
      };
    },
  };
}

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), "troupe-acp-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

describe("an agent over ACP:", () =>
  judgeMember({ test, engine: agentEngine, store: async () => openFileStore({ root: scratch() }) }));
