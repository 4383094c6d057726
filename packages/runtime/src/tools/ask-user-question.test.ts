import { expect, test } from "vitest";
import { workbench } from "../../test/workbench.ts";

const question = {
  question: "Which one?",
  header: "Choice",
  options: [
    { label: "A", description: "the first" },
    { label: "B", description: "the second" },
  ],
};

test("the answers stand by their questions, and a question without one says so", async () => {
  const heard: unknown[] = [];
  const { call } = workbench({
    ask: async (questions) => {
      heard.push(...questions);
      return { "Which one?": "B" };
    },
  });
  const { text } = await call("AskUserQuestion", { questions: [question, { ...question, question: "toString" }] });
  expect(text).toBe("Which one?\n→ B\n\ntoString\n→ (no answer)");
  expect(heard[0]).toEqual({ ...question, multiSelect: false });
});

test("where nobody can be asked the call fails, and says how to go on", async () => {
  const outcome = await workbench().call("AskUserQuestion", { questions: [question] });
  expect(outcome).toMatchObject({ isError: true, text: expect.stringContaining("Decide for yourself") });
});
