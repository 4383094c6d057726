import { resolve } from "node:path";
import type { Revision } from "@troupe/protocol";
import { type AgentProblem, parseAgentDefinition } from "@troupe/protocol/agent";
import { type Answer, type Call, exits } from "../command.ts";
import { hint } from "../nearest.ts";
import { type Printed, paragraphs, type Span } from "../paint.ts";
import { definitionsFrom, shown, textOf } from "./definitions.ts";

export async function run(call: Call<{ agent: string }, { revision?: Revision }>): Promise<Answer> {
  const { agent } = call.args;
  const found = agent.endsWith(".md") ? undefined : definitionsFrom(call, call.options.revision);
  const named = found?.find(({ definition, isUsed }) => isUsed && definition?.name === agent);
  if (found && !named) {
    const names = found.flatMap(({ definition }) => definition?.name ?? []);
    const remark = `there is no definition ${agent}${hint(agent, names) || ":"} troupe agents list shows all`;
    return { exit: exits.absent, remark };
  }
  const file = named ? shown(call.cwd, named.file) : agent;
  const { definition, problems } = named ?? parseAgentDefinition(textOf(resolve(call.cwd, file)), call.options);
  const { prompt = "", ...fields } = definition ?? {};
  return {
    document: { file, definition: definition ?? null, problems },
    text: [
      [{ text: definition?.name ?? "cannot be used", style: "bold" }, `  ${file}`],
      { rows: Object.entries(fields).map(([name, value]): Span[] => [name, wordsOf(value)]) },
      ...(prompt ? ["", ...paragraphs(prompt, "  ")] : []),
      ...(problems.length > 0 ? ["", ...problems.flatMap((problem) => problemText(file, problem))] : []),
    ],
    exit: definition ? exits.done : exits.failed,
  };
}

const wordsOf = (value: unknown): string => {
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
};

const problemText = (file: string, { line = 1, column = 1, message, fix }: AgentProblem): Printed[] => [
  `${file}:${line}:${column}: ${message}`,
  `  fix: ${fix}`,
];
