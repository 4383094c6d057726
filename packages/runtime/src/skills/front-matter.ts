import { type Revision, splitToolList } from "@troupe/protocol";
import { type AgentProblem, hooksInForce, parseAgentDefinition, splitFrontMatter } from "@troupe/protocol/agent";
import type { Skill } from "../tools/skill.ts";

/** What a skill's file says of itself; a name and a description it may lack. */
export interface SkillMatter extends Omit<Skill, "name" | "description" | "text"> {
  readonly name?: string;
  readonly description?: string;
  readonly body: string;
}

type Definition = NonNullable<ReturnType<typeof parseAgentDefinition>["definition"]>;

/** What is wrong with a field, in a sentence that says what to do. */
export interface FieldFault {
  readonly line?: number;
  readonly message: string;
}

/** Reads a skill's file. Without `matter` it cannot be used: what is not understood could have said that only a person may call it. */
export function readSkill(
  text: string,
  revision: Revision,
): { readonly matter?: SkillMatter; readonly faults: readonly FieldFault[] } {
  const { matter, problems } = splitFrontMatter(text);
  if (!matter) {
    const isBare = !/^\uFEFF?\s*---/.test(text) && !text.includes("\u0000");
    return isBare ? { matter: { body: text.replace(/^\uFEFF/, "") }, faults: [] } : { faults: problems.map(faultOf) };
  }
  const own = parseAgentDefinition(text, { revision });
  const faults = own.problems.filter(isOfSkills).map(faultOf);
  // Only definitions are read, and they must have both; of equal keys the last counts.
  for (const lent of [[], ["description"], ["name"], ["name", "description"]]) {
    const yaml = matter.yaml + lent.map((key) => `${key}: lent\n`).join("");
    const { definition } = lent.length === 0 ? own : parseAgentDefinition(`---\n${yaml}---\n`, { revision });
    if (!definition) continue;
    const fields = fieldsOf(definition, revision);
    const given = ["name", "description"].filter((key) => !lent.includes(key)).map((key) => [key, definition[key]]);
    const named = Object.fromEntries(given) as Pick<SkillMatter, "name" | "description">;
    return { matter: { ...fields.known, ...named, body: matter.body }, faults: [...faults, ...fields.faults] };
  }
  return { faults: faults.length > 0 ? faults : own.problems.map(faultOf) };
}

function fieldsOf(
  definition: Definition,
  revision: Revision,
): {
  readonly known: Omit<SkillMatter, "body">;
  readonly faults: FieldFault[];
} {
  const { model, hooks, background, agent, context } = definition;
  const faults: FieldFault[] = [];
  const fault = (message: string): void => void faults.push({ message });
  /** What is neither true nor false counts as true: of the two flags, that is what the closed hand and the default would say. */
  const flag = (key: string): boolean | undefined => {
    const value = definition[key] ?? "";
    if (value === "") return undefined;
    const text = String(value).toLowerCase();
    if (/^(false|no|off)$/.test(text)) return false;
    if (!/^(true|yes|on)$/.test(text)) fault(`${key} is neither true nor false, and counts as true`);
    return true;
  };
  const hint = definition["argument-hint"];
  const tools = definition["allowed-tools"] ?? "";
  const allowed = tools === "" ? undefined : toolsIn(tools);
  if (tools !== "" && !allowed)
    fault("allowed-tools is no list of tools, so the skill may use none; write allowed-tools: Read, Grep");
  const isForked = context === "fork";
  const running = hooksInForce(definition, revision);
  if (!isForked && context !== undefined && context !== null)
    fault("context can only be fork; the skill is not forked, correct or remove it");
  if (hooks && !isForked) fault("hooks have no effect in a skill without context: fork; remove them, or fork it");
  const known = {
    model,
    background,
    hooks: isForked && Object.keys(running).length > 0 ? running : undefined,
    agent: typeof agent === "string" && agent.trim() !== "" ? agent.trim() : undefined,
    allowedTools: tools === "" ? undefined : (allowed ?? []),
    // YAML takes the usual `[file]` for a list.
    argumentHint: Array.isArray(hint) ? `[${hint.join(", ")}]` : typeof hint === "string" ? hint : undefined,
    isForked: isForked || undefined,
    isForModel: flag("disable-model-invocation") ? false : undefined,
    isForUser: flag("user-invocable") === false ? false : undefined,
  };
  return { known: Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)), faults };
}

function toolsIn(value: unknown): string[] | undefined {
  if (typeof value === "string") return splitToolList(value);
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? splitToolList(value) : undefined;
}

/** The reader of definitions also misses what only an agent must have. */
const isOfSkills = ({ path, code }: AgentProblem): boolean =>
  /^(\/(model|hooks|background)(\/|$)|$)/.test(path) || code === "document_malformed" || code === "key_duplicated";

const faultOf = ({ line, message, fix }: AgentProblem): FieldFault => ({
  ...(line !== undefined && { line }),
  message: `${message}; ${fix}`,
});
