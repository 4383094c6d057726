import { randomUUID } from "node:crypto";
import type { CallQuestion, Reply } from "@troupe/team";
import { expect, test } from "vitest";
import { createQueue } from "../queue.ts";
import { screenOf } from "./screen.ts";

const { signal } = new AbortController();
const allow: Reply = { behavior: "allow" };
const denied: Reply = { behavior: "deny", message: "no" };

const question = (id: string): CallQuestion => ({
  id,
  call: `call of ${id}`,
  tool: "Bash",
  input: {},
  reason: "",
  suggestions: [],
});

/** A screen whose dialogs a test answers. */
function screen() {
  const shown: { readonly id: string; readonly answer: (reply: Reply) => void }[] = [];
  let look = () => {};
  const show = ({ id }: CallQuestion, over: AbortSignal) =>
    new Promise<Reply>((answer, fail) => {
      shown.push({ id, answer });
      over.addEventListener("abort", () => fail(new Error("closed")));
      look();
    });
  const nth = (count: number) =>
    new Promise<(reply: Reply) => void>((resolve) => {
      look = () => {
        const one = shown[count - 1];
        if (one) resolve(one.answer);
      };
      look();
    });
  return { show, nth, ids: () => shown.map(({ id }) => id) };
}

test("many agents ask at once, and the screen shows one question after the other, in the order they came", async () => {
  const { show, nth, ids } = screen();
  const ask = screenOf({ person: { ask: show }, queue: createQueue({ newId: randomUUID }), onEvent: () => {} }).ask;
  const replies = Promise.all([question("a"), question("b"), question("c")].map((one) => ask(one, signal)));
  const first = await nth(1);
  expect(ids()).toEqual(["a"]);
  first(allow);
  (await nth(2))(denied);
  (await nth(3))(allow);
  expect(ids()).toEqual(["a", "b", "c"]);
  expect(await replies).toEqual([allow, denied, allow]);
});

test("a question that was taken back while it waited is never shown, and one whose dialog fails holds up no other", async () => {
  const { show, nth, ids } = screen();
  const ask = screenOf({ person: { ask: show }, queue: createQueue({ newId: randomUUID }), onEvent: () => {} }).ask;
  const closing = new AbortController();
  const taken = new AbortController();
  const first = expect(ask(question("a"), closing.signal)).rejects.toThrow("closed");
  const second = ask(question("b"), taken.signal);
  const third = ask(question("c"), signal);
  await nth(1);
  taken.abort();
  closing.abort();
  (await nth(2))(allow);
  await first;
  expect(await second).toMatchObject({ behavior: "deny" });
  expect(await third).toEqual(allow);
  expect(ids()).toEqual(["a", "c"]);
});
