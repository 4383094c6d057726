import { internalPermissionModes, PermissionMode, permissionModes } from "../permissions.ts";
import type { Revision } from "../revisions/revision.ts";
import type { AgentProblem } from "./agent-problem.ts";
import { type AgentDefinition, knownFields } from "./definition.ts";
import { type FieldReader, quoted } from "./field-reader.ts";
import { readHooks } from "./hooks.ts";
import { agentColors, effortLevels, isolations, memoryScopes, modelAliases } from "./legal-values.ts";
import { readMcpServers } from "./mcp-server.ts";
import { readToolList } from "./tool-list.ts";

/** The options of a reader of definitions. */
export interface ParseOptions {
  /** The revision whose values cause no warning; those of every revision are understood. */
  readonly revision?: Revision;
  /**
   * Taken when the definition has no name of its own: a plugin's agents are called after their
   * files.
   */
  readonly fallbackName?: string;
}

/** A definition, unless it cannot be used; with one, every problem is a warning. */
export interface ParsedDefinition {
  readonly definition?: AgentDefinition;
  readonly problems: readonly AgentProblem[];
}

/**
 * Reads the fields of a definition. `body` is the text below the front matter; JSON has `prompt`.
 */
export function readDefinition(
  reader: FieldReader,
  body: string | undefined,
  { revision = "2026-02", fallbackName }: ParseOptions,
): AgentDefinition | undefined {
  const name = readName(reader, fallbackName);
  const description = reader.text("description", true);
  if (!description && !reader.problems.some(({ path }) => path.endsWith("/description"))) {
    reader.report(
      ["description"],
      "description is missing",
      "add description: and when to use the agent",
      "field_missing",
    );
  }
  const tools = readToolList(reader, "tools");
  const disallowedTools = readToolList(reader, "disallowedTools");
  const known = {
    model: readModel(reader),
    permissionMode: readPermissionMode(reader, revision),
    maxTurns: reader.count("maxTurns"),
    skills: reader.list("skills"),
    mcpServers: readMcpServers(reader),
    hooks: readHooks(reader, revision),
    color: readColor(reader),
    memory: reader.choice("memory", memoryScopes),
    effort: readEffort(reader),
    background: reader.flag("background"),
    isolation: reader.choice("isolation", isolations),
    initialPrompt: reader.text("initialPrompt", true),
    requiredMcpServers: reader.list("requiredMcpServers"),
  };
  const prompt = readPrompt(reader, body);
  for (const key of Object.keys(reader.fields)) reportMisnamed(reader, key);

  if (!name || !description || tools === "unusable" || disallowedTools === "unusable") return undefined;
  const given = Object.entries({ tools, disallowedTools, ...known }).filter(([, value]) => value !== undefined);
  const unknown = Object.entries(reader.fields).filter(([key]) => !knownFields.has(key));
  return { name, description, ...Object.fromEntries([...given, ...unknown]), prompt };
}

function readName(reader: FieldReader, fallbackName: string | undefined): string | undefined {
  const name = reader.text("name") ?? fallbackName;
  if (name === undefined) {
    const fix = "add name: and a name in kebab-case, such as code-reviewer";
    if (reader.problems.length === 0) reader.report(["name"], "name is missing", fix, "field_missing");
    return undefined;
  }
  if (/[/\\:\u0000-\u001f\u007f]|^[-.]/.test(name)) {
    reader.report(
      ["name"],
      `name is ${quoted(name)}, which cannot name an agent`,
      "use lower-case letters, digits and single hyphens",
    );
    return undefined;
  }
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
    reader.report(
      ["name"],
      `name is ${quoted(name)}, not kebab-case; other readers may refuse it`,
      "use lower-case letters, digits and single hyphens",
    );
  }
  return name;
}

/** Reads `model`, an alias in any case or else a full model id. */
export function readModel(reader: FieldReader): string | undefined {
  const model = reader.text("model");
  if (model === undefined) return undefined;
  const alias = modelAliases.find((name) => name === model.toLowerCase());
  if (alias !== model) {
    const taken = alias ? `it is taken as ${alias}` : "it is taken as a full model id";
    reader.report(
      ["model"],
      `model is ${quoted(model)}, none of ${modelAliases.join(", ")}; ${taken}`,
      `write model: ${alias ?? "inherit"} unless this very model is meant`,
    );
  }
  return alias ?? model;
}

/** A mode that is not understood becomes the one that asks: a default elsewhere may not. */
function readPermissionMode(reader: FieldReader, revision: Revision): PermissionMode | undefined {
  const text = reader.value("permissionMode");
  if (text === undefined) return undefined;
  const mode = PermissionMode.options.find((one) => one === text);
  const fix = `write one of ${permissionModes[revision].join(", ")}`;
  if (mode === undefined) {
    const isInternal = internalPermissionModes.some((internal) => internal === text);
    const why = isInternal ? "which only the runtime may set" : "which is no mode";
    reader.report(["permissionMode"], `permissionMode is ${quoted(text)}, ${why}; default is used, which asks`, fix);
    return "default";
  }
  if (!permissionModes[revision].includes(mode)) {
    reader.report(
      ["permissionMode"],
      `permissionMode ${mode} is not a mode of revision ${revision}; it is taken all the same`,
      fix,
    );
  }
  return mode;
}

function readColor(reader: FieldReader): string | undefined {
  const color = reader.text("color");
  if (color !== undefined && !agentColors.includes(color)) {
    reader.report(
      ["color"],
      `color is ${quoted(color)}, which may be shown as another`,
      `write one of ${agentColors.join(", ")}`,
    );
  }
  return color;
}

function readEffort(reader: FieldReader): (typeof effortLevels)[number] | number | undefined {
  const value = reader.value("effort");
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) ? number : reader.choice("effort", effortLevels);
}

/**
 * The body is the prompt. The field `prompt`, used in JSON, counts in a file only if the body is
 * empty.
 */
function readPrompt(reader: FieldReader, body: string | undefined): string {
  const field = reader.text("prompt", true);
  const prompt = body?.trim() || field;
  if (body?.trim() && field) {
    reader.report(["prompt"], "prompt is not used, since there is text below the front matter", "keep one of the two");
  }
  if (!prompt && !reader.problems.some(({ path }) => path.endsWith("/prompt"))) {
    reader.report(
      ["prompt"],
      "prompt is missing: the agent has no system prompt",
      body === undefined ? "add prompt" : "write the prompt below the closing ---",
      "field_missing",
    );
  }
  return prompt ?? "";
}

/** The fields as people misspell them, by their letters alone. */
const misnamed: ReadonlyMap<string, string> = new Map([
  ...[...knownFields].map((field) => [field.toLowerCase(), field] as const),
  ["allowedtools", "tools"],
  ["agenttype", "name"],
  ["whentouse", "description"],
]);

/** A misspelt field has no effect, which matters most where it was to take something away. */
function reportMisnamed(reader: FieldReader, key: string): void {
  const meant = misnamed.get(key.replace(/[-_ ]/g, "").toLowerCase());
  if (meant === undefined || meant === key) return;
  reader.report(
    [key],
    `${key} is no field of a definition and has no effect; ${meant} is`,
    `rename ${key} to ${meant}`,
    "field_alias",
  );
}
