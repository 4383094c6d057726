import { z } from "zod";
import type { Agent } from "../agent/agent.ts";
import { failed, said } from "../loop/outcome.ts";
import type { Tool } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";

const Option = z.object({
  label: z.string().describe("The answer, in a few words."),
  description: z.string().describe("What it means or leads to."),
});

const Question = z.object({
  question: z.string().describe("The whole question."),
  header: z.string().describe("What it is about, in a word or two."),
  options: z.array(Option).min(2).max(4).describe("The answers to choose from."),
  multiSelect: z.boolean().default(false).describe("More than one may be chosen."),
});

/** A question to a person, with answers to choose from; any other answer is possible too. */
export type UserQuestion = z.output<typeof Question>;

/** Asks a person; the answers by question, or undefined where nobody can be asked. */
export type AskUser = (
  questions: readonly UserQuestion[],
  signal: AbortSignal,
) => Promise<Readonly<Record<string, string>> | undefined>;

export interface AskUserQuestionDeps {
  readonly ask: AskUser;
}

const Input = z.object({ questions: z.array(Question).min(1).max(4).describe("One to four questions.") });

/** Asks the person at the terminal. */
export const askUserQuestionTool = ({ ask }: AskUserQuestionDeps): Tool<Pick<Agent, "id">> =>
  typedTool({
    name: "AskUserQuestion",
    description:
      "Asks the user questions that only they can answer, with answers to choose from. They may answer in their own words.",
    input: Input,
    run: async ({ questions }, { signal, agent: { id } }) => {
      // An agent below the main one has no person before it.
      const answers = id === undefined ? await ask(questions, signal) : undefined;
      if (!answers) return failed("Nobody can be asked here. Decide for yourself, and say what you took for granted.");
      const lines = questions.map(({ question }) => {
        const answer = Object.hasOwn(answers, question) ? answers[question] : undefined;
        return `${question}\n→ ${answer ?? "(no answer)"}`;
      });
      return said(lines.join("\n\n"));
    },
  });
