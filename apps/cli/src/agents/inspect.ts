import { resolve } from "node:path";
import type { Revision } from "@troupe/protocol";
import { type AgentProblem, agentTypeOf, parseAgentDefinition } from "@troupe/protocol/agent";
import { agentNamed, effectiveDefinition, findDefinitions, type KnownAgent, loadDefinitions } from "@troupe/runtime";
import { type Answer, type Call, exits } from "../command.ts";
import { hint } from "../nearest.ts";
import { type Printed, paragraphs, type Span } from "../paint.ts";
import { setVariables } from "../session/environment.ts";
import { type DefinitionOptions, definitionsGiven } from "../session/given-definitions.ts";
import { placesOf, shown, textOf } from "./definitions.ts";

interface InspectOptions extends DefinitionOptions {
  readonly revision?: Revision;
}

export async function run(call: Call<{ agent: string }, InspectOptions>): Promise<Answer> {
  const { agent: name } = call.args;
  const { revision = "2026-02" } = call.options;
  const found = name.endsWith(".md") ? undefined : definitionNamed(call, name);
  if (found && "remark" in found) return { exit: exits.absent, remark: found.remark };
  const file = found?.file ?? name;
  const text = found ? found.text : textOf(resolve(call.cwd, file));
  const { definition, problems, agent } = found ?? asGiven(text ?? "", file, revision);
  const { cwd: project, root, home } = call;
  const effective = agent
    ? effectiveDefinition({
        agent,
        text,
        file,
        revision,
        project,
        home,
        root: resolve(project, root),
        overrides: setVariables(call),
      })
    : [];
  const prompt = agent?.getSystemPrompt() ?? "";
  const heading: Span[] = [{ text: agent?.agentType ?? "cannot be used", style: "bold" }, `  ${file}`];
  return {
    document: { file, definition: definition ?? null, effective, problems },
    text: [
      heading,
      ...(agent ? [`  ${agent.whenToUse}`] : []),
      { rows: effective.map(({ field, value, from }): Span[] => [field, value, { text: from, style: "dim" }]) },
      ...(prompt ? ["", ...paragraphs(prompt, "  ")] : []),
      ...(problems.length > 0 ? ["", ...problems.flatMap((problem) => problemText(file, problem))] : []),
    ],
    exit: agent ? exits.done : exits.failed,
  };
}

/** A file that is not where definitions are looked for, as if it were the user's. */
function asGiven(text: string, file: string, revision: Revision) {
  const parsed = parseAgentDefinition(text, { revision });
  const agent: KnownAgent | undefined = parsed.definition && {
    ...agentTypeOf(parsed.definition),
    source: "user",
    file,
  };
  return { ...parsed, agent };
}

/** The definition that counts, a built-in one too; or what to say where there is none. */
function definitionNamed(call: Call<object, InspectOptions>, name: string) {
  const { revision = "2026-02" } = call.options;
  const places = placesOf(call, revision, definitionsGiven(call, revision));
  const { agents } = loadDefinitions(places);
  const agent = agentNamed(agents, name);
  if (!agent)
    return {
      remark: `there is no definition ${name}${
        hint(
          name,
          agents.map(({ agentType }) => agentType),
        ) || ":"
      } troupe agents list shows all`,
    };
  const found = findDefinitions(places).find((one) => one.isUsed && one.agent?.agentType === agent.agentType);
  const file = found ? shown(call.cwd, found.file) : "built in";
  return { agent, file, text: found?.text, definition: found?.definition, problems: found?.problems ?? [] };
}

const problemText = (file: string, { line = 1, column = 1, message, fix }: AgentProblem): Printed[] => [
  `${file}:${line}:${column}: ${message}`,
  `  fix: ${fix}`,
];
