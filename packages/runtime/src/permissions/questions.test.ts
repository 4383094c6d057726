import { expect, test } from "vitest";
import { bashCall as bash, permitted, ruleBelow } from "../../test/permitted.ts";
import { createQueue } from "../queue.ts";
import type { Question, Reply } from "./ask.ts";
import { createQuestions, type LateReply, oneAtATime, orphanedPermission } from "./questions.ts";

const { signal } = new AbortController();
const allow: Reply = { behavior: "allow" };
const denied: Reply = { behavior: "deny", message: "no" };

const question = (id: string): Question => ({
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
  const show = ({ id }: Question, over: AbortSignal) =>
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
  const ask = oneAtATime(show);
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
  const ask = oneAtATime(show);
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

test("an answer that grants more than its call settles the questions behind it, and they are not shown", async () => {
  const { show, nth, ids } = screen();
  let next = 0;
  const ask = oneAtATime(show, ({ input }) =>
    permissions.judge(bash((input as { command: string }).command)).behavior === "allow" ? allow : undefined,
  );
  const permissions = permitted("/nowhere/project", "/nowhere", { ask, newId: () => `q${++next}` });
  const calls = Promise.all(
    ["make a", "make b", "other"].map((command) => permissions.permit(bash(command), {}, signal)),
  );
  const rules = [{ toolName: "Bash", ruleContent: "make:*" }];
  (await nth(1))({ ...allow, updates: [{ type: "addRules", rules, behavior: "allow", destination: "session" }] });
  (await nth(2))(denied);
  expect((await calls).map(({ runs }) => runs)).toEqual([true, true, false]);
  expect(ids()).toEqual(["q1", "q3"]);
});

test("of the answers to an open question exactly one counts, and none to what was never asked", async () => {
  const waitings: string[][] = [];
  const questions = createQuestions({ onChange: () => waitings.push(questions.waiting().map(({ id }) => id)) });
  const replies = Promise.all([questions.ask(question("a"), signal), questions.ask(question("b"), signal)]);
  expect([questions.answer("b", denied), questions.answer("b", allow), questions.answer("x", allow)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(questions.answer("a", allow)).toBe(true);
  expect(await replies).toEqual([allow, denied]);
  expect(waitings).toEqual([["a"], ["a", "b"], ["a"], []]);
});

test("[QUEUE-09] an answer to a question that was taken back runs nothing and waits in the queue as an orphaned permission, once", async () => {
  const queue = createQueue({ newId: () => "c1" });
  const late: LateReply[] = [];
  let isOpen = () => {};
  const opened = new Promise<void>((resolve) => {
    isOpen = resolve;
  });
  const questions = createQuestions({
    onChange: () => isOpen(),
    onLate: (one) => {
      late.push(one);
      queue.enqueue(orphanedPermission(one));
    },
  });
  const { permit } = permitted("/nowhere/project", "/nowhere", {
    ask: questions.ask,
    rules: [ruleBelow("/nowhere")("ask", "Bash")],
  });
  const interrupted = new AbortController();
  const judgement = permit(bash("make"), {}, interrupted.signal);
  await opened;
  interrupted.abort();
  expect(await judgement).toMatchObject({ runs: false });
  expect(questions.waiting()).toEqual([]);
  expect([questions.answer("question", allow), questions.answer("question", allow)]).toEqual([false, false]);
  expect(late).toMatchObject([{ id: "question", reply: allow, question: { tool: "Bash", call: "call" } }]);
  expect(queue.waiting()).toMatchObject([
    { mode: "orphaned-permission", priority: "next", origin: { kind: "permission", call: "call" } },
  ]);
});
