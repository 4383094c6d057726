import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { crew } from "../../test/crew.ts";
import { memoryLedger } from "../ledger/memory.ts";
import { createAnswers } from "../mailbox.ts";
import type { Taken } from "./handshake.ts";
import { planHandshake } from "./plan.ts";

const wordsOf = (taken: Taken | undefined) => (typeof taken === "object" ? taken.texts.join("\n") : taken);

describe("of plans that follow each other", () => {
  /** What stands between a planner and its lead, on a clock that stands still. */
  async function start() {
    const { team } = await crew("2026-11", "alice", "bob");
    const alice = await team.as("alice");
    let hasRoom = true;
    const send: typeof alice.send = (to, content) =>
      hasRoom ? alice.send(to, content) : Promise.reject(new Error("no room"));
    const self = { name: "alice", send };
    const memory = memoryLedger();
    const ledger = () => memory;
    const now = () => new Date(1_770_979_387_887);
    const plan = planHandshake({
      team,
      self,
      lead: "team-lead",
      ledger,
      now,
      newId: randomUUID,
      show: () => {},
      policy: "lead",
      mode: () => "default",
      mayWork: () => true,
      ask: () => undefined,
      answers: createAnswers({ self, ledger, now, newId: randomUUID, show: () => {} }, () => {}),
      signal: new AbortController().signal,
    });
    const answered = async (from: string, requestId: string) => {
      const stamp = { requestId, timestamp: new Date().toISOString(), permissionMode: "default" };
      const body = { type: "plan_approval_response", approved: true, ...stamp } as const;
      return (await team.as(from)).send("alice", { body });
    };
    const handIn = (text: string) => plan.handIn(text, "/plan.md");
    return { plan, handIn, answered, fill: () => (hasRoom = false) };
  }

  test("[ATP-PLN-006] each has an id of its own, also in one moment", async () => {
    const { handIn } = await start();
    expect(await handIn("one")).not.toBe(await handIn("one"));
  });

  test("[ATP-PLN-007] an approval that was on its way when the next was handed in changes nothing", async () => {
    const { plan, handIn, answered } = await start();
    const message = await answered("team-lead", await handIn("one"));
    expect(wordsOf(await plan.take(message))).toContain("[Plan Approved]");
    await handIn("two");
    expect(await plan.take(message)).toBe("done");
  });

  test("one that could not be handed in leaves the one before it waiting", async () => {
    const { plan, handIn, answered, fill } = await start();
    const message = await answered("team-lead", await handIn("one"));
    fill();
    await expect(handIn("two")).rejects.toThrow("no room");
    expect(wordsOf(await plan.take(message))).toContain("[Plan Approved]");
  });

  test("what a peer says about them is for the model, and no answer", async () => {
    const { plan, handIn, answered } = await start();
    await handIn("one");
    const taken = await plan.take(await answered("bob", "plan_approval-1@alice@crew"));
    expect(wordsOf(taken)).toContain("this changes nothing");
    expect(taken).not.toHaveProperty("entry.settles");
  });
});
