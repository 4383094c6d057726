import { type Revision, splitToolList } from "@troupe/protocol";
import {
  type AgentProblem,
  type FieldReader,
  hooksInForce,
  readFrontMatter,
  readHooks,
  readModel,
  readToolList,
} from "@troupe/protocol/agent";
import type { Skill } from "./skill.ts";

/** The front matter of a skill; it may lack a name and a description. */
export interface SkillMatter extends Omit<Skill, "name" | "description" | "text"> {
  readonly name?: string;
  readonly description?: string;
  readonly body: string;
}

/** A fault of a field, in a sentence that says how to fix it. */
export interface FieldFault {
  readonly line?: number;
  readonly message: string;
}

/**
 * Reads a skill's file. Without `matter` it cannot be used: what is not understood could have said
 * that only a person may call it.
 */
export function readSkill(
  text: string,
  revision: Revision,
): { readonly matter?: SkillMatter; readonly faults: readonly FieldFault[] } {
  const isBare = !/^\uFEFF?\s*---/.test(text) && !text.includes("\u0000");
  if (isBare) return { matter: { body: text.replace(/^\uFEFF/, "") }, faults: [] };
  const { value, body, problems } = readFrontMatter(text, (reader) => fieldsOf(reader, revision));
  const faults = [...problems.map(faultOf), ...(value?.faults ?? [])];
  return value?.known ? { matter: { ...value.known, body }, faults } : { faults };
}

function fieldsOf(
  reader: FieldReader,
  revision: Revision,
): { readonly known?: Omit<SkillMatter, "body">; readonly faults: readonly FieldFault[] } {
  const { fields } = reader;
  const faults: FieldFault[] = [];
  const fault = (message: string): void => void faults.push({ message });
  /**
   * A value that is neither true nor false counts as true: of the two flags, that is what the
   * closed hand and the default would say.
   */
  const flag = (key: string): boolean | undefined => {
    const value = fields[key] ?? "";
    if (value === "") return undefined;
    const text = String(value).toLowerCase();
    if (/^(false|no|off)$/.test(text)) return false;
    if (!/^(true|yes|on)$/.test(text)) fault(`${key} is neither true nor false, and counts as true`);
    return true;
  };
  // A skill has neither; one that was to bound it and cannot be read must not be taken for none.
  const bounds = [readToolList(reader, "tools"), readToolList(reader, "disallowedTools")];
  const { agent, context, "argument-hint": hint } = fields;
  const tools = fields["allowed-tools"] ?? "";
  const allowed = tools === "" ? undefined : toolsIn(tools);
  if (tools !== "" && !allowed)
    fault("allowed-tools is not a list of tools, so the skill may use none; write allowed-tools: Read, Grep");
  const isForked = context === "fork";
  const hooks = readHooks(reader, revision);
  const running = hooksInForce({ hooks }, revision);
  if (!isForked && context !== undefined && context !== null)
    fault("context can only be fork; the skill is not forked, correct or remove it");
  if (hooks && !isForked) fault("hooks have no effect in a skill without context: fork; remove them, or fork it");
  const known = {
    name: reader.text("name"),
    description: reader.text("description", true),
    model: readModel(reader),
    background: reader.flag("background"),
    hooks: isForked && Object.keys(running).length > 0 ? running : undefined,
    agent: typeof agent === "string" && agent.trim() !== "" ? agent.trim() : undefined,
    allowedTools: tools === "" ? undefined : (allowed ?? []),
    // YAML takes the usual `[file]` for a list.
    argumentHint: Array.isArray(hint) ? `[${hint.join(", ")}]` : typeof hint === "string" ? hint : undefined,
    isForked: isForked || undefined,
    isForModel: flag("disable-model-invocation") ? false : undefined,
    isForUser: flag("user-invocable") === false ? false : undefined,
  };
  if (bounds.includes("unusable")) return { faults };
  const given = Object.entries(known).filter(([, value]) => value !== undefined);
  return { known: Object.fromEntries(given) as Omit<SkillMatter, "body">, faults };
}

function toolsIn(value: unknown): string[] | undefined {
  if (typeof value === "string") return splitToolList(value);
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? splitToolList(value) : undefined;
}

const faultOf = ({ line, message, fix }: AgentProblem): FieldFault => ({
  ...(line !== undefined && { line }),
  message: `${message}; ${fix}`,
});
