import { z } from "zod";
import { agentDefinitionSchemas } from "./agent/definition.ts";
import { HooksConfig } from "./hooks/config.ts";
import { HookInput } from "./hooks/input.ts";
import { HookOutput } from "./hooks/output.ts";
import { messageKinds } from "./messages/body.ts";
import { PermissionUpdate } from "./permissions.ts";
import { capped, type Problem, problemsOf } from "./problems.ts";
import { documentSchemas } from "./revisions/published.ts";
import { type Revision, revisions } from "./revisions/revision.ts";
import { SubagentMeta } from "./subagent-meta.ts";
import { toolBoundaries } from "./tools/boundaries.ts";

/** The schemas for other implementations, by name under `schemas/<revision>/`. */
export function publishedSchemas(revision: Revision): ReadonlyMap<string, z.ZodType> {
  const { team, inbox, entry, task } = documentSchemas[revision];
  return new Map<string, z.ZodType>([
    ["team-config", team],
    ["inbox", inbox],
    ["inbox-entry", entry],
    ["task", task],
    ["agent-definition", agentDefinitionSchemas[revision]],
    ["permission-update", PermissionUpdate],
    ["hooks-config", HooksConfig],
    ["hook-input", HookInput],
    ["hook-output", HookOutput],
    ["subagent-meta", SubagentMeta],
    ...toolBoundaries.flatMap(({ name, input, output }) => [
      ...named(`tool-${name}-input`, input[revision]),
      ...named(`tool-${name}-output`, output[revision]),
    ]),
    ...messageKinds.map(({ type, published }) => [`message-${type}`, published[revision]] as const),
  ]);
}

/** Validates a document against a schema; returns readable problems, empty if it is valid. */
export function problemsWith(schema: z.ZodType, document: unknown): readonly Problem[] {
  const read = schema.safeParse(document);
  return read.success ? [] : capped(problemsOf(read.error, document));
}

const named = (name: string, schema: z.ZodType | undefined): [string, z.ZodType][] => (schema ? [[name, schema]] : []);

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Everything of one revision as JSON Schema, with an index, by file name. */
export function publishedFiles(revision: Revision): ReadonlyMap<string, JsonSchema> {
  const files = new Map<string, JsonSchema>();
  for (const [name, schema] of publishedSchemas(revision))
    files.set(`${name}.json`, toJsonSchema(revision, name, schema));
  const schemas = [...files].map(([file, { $id, title, description }]) => ({ file, $id, title, description }));
  files.set("index.json", { revision, schemas });
  return files;
}

export const schemaId = (revision: Revision, name: string): string => `urn:troupe:schema:${revision}:${name}`;

/** `io: "input"` leaves unknown fields legal: a published schema must not forbid tomorrow's. */
export function toJsonSchema(revision: Revision, name: string, schema: z.ZodType): JsonSchema {
  const { $schema, title, description, examples, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return { $schema, $id: schemaId(revision, name), title, description, ...rest, examples };
}

export { type Revision, revisions };
