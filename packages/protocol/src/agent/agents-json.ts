import { messageOf } from "../errors.ts";
import { isObject } from "../json/is-object.ts";
import { pointer } from "../problems.ts";
import type { AgentProblem } from "./agent-problem.ts";
import type { AgentDefinition } from "./definition.ts";
import { createFieldReader, kindOf, quoted } from "./field-reader.ts";
import { type ParseOptions, readDefinition } from "./read-definition.ts";

/**
 * The usable definitions, in their order; the path of a problem begins with the agent's key or
 * index.
 */
export interface ParsedDefinitions {
  readonly definitions: readonly AgentDefinition[];
  readonly problems: readonly AgentProblem[];
}

/**
 * Reads the JSON of `--agents`: one object with `name`, an object keyed by name, or a list of the
 * former.
 */
export function parseAgentsJson(text: string, options: ParseOptions = {}): ParsedDefinitions {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""), (key, held: unknown) => (key === "__proto__" ? undefined : held));
  } catch (cause) {
    const message = `the agents are not valid JSON: ${messageOf(cause)}`;
    return refused([], message, "check the quotes, commas and braces, and the quoting of your shell");
  }
  if (Array.isArray(value)) return collected(value.map((entry: unknown, index) => readEntry(entry, [index], options)));
  if (!isObject(value)) {
    return refused(
      [],
      `the agents are ${kindOf(value)}, not an object`,
      'write {"my-agent": {"description": "…", "prompt": "…"}}',
    );
  }
  const isFlat = ["name", "description", "prompt"].some((key) => Object.hasOwn(value, key) && !isObject(value[key]));
  if (isFlat) return readEntry(value, [], options);
  return collected(
    Object.entries(value).map(([key, entry]) => {
      const read = readEntry(entry, [key], options, key);
      const { name } = isObject(entry) ? entry : {};
      if (name === undefined || name === key) return read;
      const message = `the agent ${quoted(key)} also has the name ${quoted(name)}; ${quoted(key)} counts`;
      const problem: AgentProblem = {
        path: pointer([key, "name"]),
        code: "id_mismatched",
        message,
        fix: "remove one of them",
      };
      return { ...read, problems: [...read.problems, problem] };
    }),
  );
}

function readEntry(
  entry: unknown,
  at: readonly PropertyKey[],
  options: ParseOptions,
  name?: string,
): ParsedDefinitions {
  if (!isObject(entry))
    return refused(
      at,
      `${pointer(at)} is ${kindOf(entry)}, not a definition`,
      "write an object with description and prompt",
    );
  const fields = name === undefined ? entry : { ...entry, name };
  const reader = createFieldReader({ fields }, at);
  const definition = readDefinition(reader, undefined, options);
  return { definitions: definition ? [definition] : [], problems: reader.problems };
}

/** The last of several definitions with one name wins, as with duplicate keys. */
function collected(parts: readonly ParsedDefinitions[]): ParsedDefinitions {
  const byName = new Map<string, AgentDefinition>();
  const problems = parts.flatMap((part) => part.problems);
  for (const definition of parts.flatMap((part) => part.definitions)) {
    const { name } = definition;
    if (byName.has(name)) {
      problems.push({
        path: "",
        code: "name_duplicated",
        message: `two agents are called ${quoted(name)}; the last counts`,
        fix: "rename one",
      });
    }
    byName.set(name, definition);
  }
  return { definitions: [...byName.values()], problems };
}

const refused = (at: readonly PropertyKey[], message: string, fix: string): ParsedDefinitions => ({
  definitions: [],
  problems: [{ path: pointer(at), code: at.length === 0 ? "document_malformed" : "field_invalid", message, fix }],
});
