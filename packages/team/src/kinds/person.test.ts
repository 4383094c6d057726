import { expect, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import type { Question, Reply } from "../person.ts";
import { memoryLedger } from "../testing/index.ts";
import { personMember } from "./person.ts";

const question = (id: string): Question => ({ kind: "shutdown", id, from: { name: "team-lead" }, reason: "" });
const { signal } = new AbortController();

/** A person whose answers a test gives. */
function start() {
  const shown: string[] = [];
  const answers: ((reply: Reply) => void)[] = [];
  const ask = ({ id }: Question) =>
    new Promise<Reply>((answer) => {
      shown.push(id);
      answers.push(answer);
    });
  const screen = { show: async () => {}, ask, close: async () => {} };
  return { member: personMember({ screen, ledger: memoryLedger() }), shown, answers };
}

test("a person is asked one question at a time, and never one that was taken back while it waited", async () => {
  const { member, shown, answers } = start();
  const taken = new AbortController();
  const [first, second, third] = [
    member.ask(question("a"), signal),
    member.ask(question("b"), taken.signal),
    member.ask(question("c"), signal),
  ];
  await untilSeen("the first question", () => shown.length === 1);
  taken.abort();
  answers[0]?.({ behavior: "allow" });
  expect(await first).toEqual({ behavior: "allow" });
  expect(await second).toMatchObject({ behavior: "deny" });
  await untilSeen("the last question", () => shown.length === 2);
  answers[1]?.({ behavior: "allow" });
  expect([await third, shown]).toEqual([{ behavior: "allow" }, ["a", "c"]]);
});

test("a person who has left is asked nothing any more", async () => {
  const { member, shown } = start();
  await member.stop("left");
  expect(await member.ask(question("a"), signal)).toMatchObject({ behavior: "deny" });
  expect(shown).toEqual([]);
});
