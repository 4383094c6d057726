import { codecFor } from "@troupe/protocol";
import { atMost, quickest, type Result, roundsOf } from "./measure.ts";

const count = 10_000;
const timestamp = "2026-02-13T10:45:20.631Z";
const messageId = "77c2c6cd-5f80-4858-ab91-8c1a194a7277";

/** P0: reading an inbox of 10,000 messages, against `JSON.parse` of the same text. */
export async function inboxReading(): Promise<Record<string, Result>> {
  const codec = codecFor("2026-02");
  const from = { name: "alice", color: "blue" };
  const idle = { type: "idle_notification" as const, from: "alice", timestamp, idleReason: "available" };
  const contents = [
    { text: "The parser lacks error recovery in three rules; see the list below.", summary: "three rules found" },
    { body: idle },
    { text: "x".repeat(600), summary: "the list" },
  ];
  const entries = Array.from({ length: count }, (_, n) =>
    codec.newEntry({ from, content: contents[n % contents.length] ?? { text: "" }, timestamp, messageId }),
  );
  const text = codec.write(entries);
  if (codec.readInbox(text).entries.length !== count) throw new Error("the inbox was not read whole");
  const rounds = await roundsOf(() => {
    const parse = quickest(() => JSON.parse(text));
    return quickest(() => codec.readInbox(text)) / parse;
  });
  return { P0: atMost(3, rounds) };
}
