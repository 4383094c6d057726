import type { AskUser, Person, UserQuestion } from "@troupe/runtime";
import type { Question } from "../screen/dialog.ts";
import { permissionQuestion } from "../screen/permission.ts";
import type { Screen } from "../screen/screen.ts";

/** The person at a screen. */
export const personAt = (screen: Pick<Screen, "ask" | "dispatch">, isTrusted: () => boolean): Person => ({
  async ask(asked, signal) {
    const { question, replyOf } = permissionQuestion(asked, isTrusted());
    if (asked.tool === "ExitPlanMode") screen.dispatch({ kind: "plan", from: asked.from?.name, input: asked.input });
    return replyOf(await screen.ask(question, signal));
  },
  choose: (questions, signal) => chosen(questions, screen, signal),
});

/** Asks one question of the model after the other; those that were turned away have no answer. */
async function chosen(
  questions: readonly UserQuestion[],
  screen: Pick<Screen, "ask">,
  signal: AbortSignal,
): ReturnType<AskUser> {
  const answers: (readonly [string, string])[] = [];
  for (const question of questions) {
    const decision = await screen.ask(asQuestion(question), signal);
    if (!decision) break;
    const labels = decision.chosen.flatMap((at) => question.options[at]?.label ?? []);
    answers.push([question.question, [...labels, ...(decision.words === "" ? [] : [decision.words])].join(", ")]);
  }
  return Object.fromEntries(answers);
}

const asQuestion = ({ header, question, options, multiSelect }: UserQuestion): Question => ({
  about: [
    { text: header, style: "bold" },
    { hang: 2, spans: ["  ", question] },
  ],
  choices: [
    ...options.map(({ label, description }) => ({ label, note: description === "" ? undefined : description })),
    { label: "Something else", takes: "words" },
  ],
  isMany: multiSelect,
  dismissing: "gives no answer",
});
