import type { FoundDefinition } from "@troupe/runtime";
import type { Answer, Call } from "../command.ts";
import { counted } from "../paint.ts";
import { type DefinitionOptions, definitionsGiven } from "../session/given-definitions.ts";
import { memberSpan } from "../team/overview-text.ts";
import { definitionsFrom, shown } from "./definitions.ts";

export async function run(call: Call<object, DefinitionOptions>): Promise<Answer> {
  const found = definitionsFrom(call, "2026-02", definitionsGiven(call, "2026-02")).map((one) => ({
    ...one,
    file: shown(call.cwd, one.file),
  }));
  return {
    document: { definitions: found.map(described) },
    text: [{ rows: found.map(row) }],
    ...(found.length === 0 && {
      remark: "there are no agent definitions here: troupe agents list --help says where they are read from",
    }),
  };
}

const described = ({ file, source, isUsed, definition, agent, problems }: FoundDefinition) => ({
  file,
  scope: source,
  isUsed,
  name: agent?.agentType ?? null,
  description: definition?.description ?? null,
  model: definition?.model ?? null,
  tools: definition?.tools ?? null,
  problems: problems.length,
});

function row({ file, isUsed, definition, agent, problems }: FoundDefinition) {
  const { model = "", color = "" } = definition ?? {};
  const name = agent?.agentType;
  const state = name === undefined ? "cannot be used" : isUsed ? "" : "a nearer one is used";
  const count = problems.length === 0 ? "" : counted(problems.length, "problem");
  return [memberSpan(name ?? "?", color), model, file, state, count];
}
