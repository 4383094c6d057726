import { setImmediate as nextRound } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Incoming } from "../member.ts";
import { memoryLedger } from "../testing/index.ts";
import { type ClientMember, clientMember } from "./client.ts";

test("a request that a read beside its answer acknowledges can be answered", async () => {
  const ledger = memoryLedger();
  const request = {
    message: { key: "k", entry: { from: "bob", text: "{}", timestamp: "" } },
    texts: ["may I?"],
    entry: { kind: "delivered", key: "k", from: "bob", opens: { handshake: "permission", id: "perm-1" } },
  } as unknown as Incoming;
  let waiting = [request];
  // As a mailbox does it, a look takes a while.
  const member: ClientMember = clientMember({
    ledger,
    async offer() {
      await nextRound();
      const owned = await member.hear(waiting);
      waiting = waiting.filter(({ message }) => !owned.includes(message.key));
    },
  });
  expect(await member.read(new AbortController().signal)).toEqual([request]);
  const over = new AbortController();
  const beside = member.read(over.signal);
  await member.answers("perm-1");
  expect([...ledger.state().open.values()]).toMatchObject([{ id: "perm-1", from: "bob" }]);
  over.abort();
  expect(await beside).toEqual([]);
});
