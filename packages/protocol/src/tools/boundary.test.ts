import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Revision, revisions } from "../revisions/revision.ts";
import { agentTool } from "./agent.ts";
import type { ToolBoundary } from "./boundary.ts";
import { enterPlanModeTool } from "./enter-plan-mode.ts";
import { exitPlanModeTool } from "./exit-plan-mode.ts";
import { sendMessageTool, TypedSendMessage } from "./send-message.ts";
import { taskCreateTool } from "./task-create.ts";
import { taskGetTool } from "./task-get.ts";
import { taskListTool } from "./task-list.ts";
import { taskOutputTool } from "./task-output.ts";
import { taskStopTool } from "./task-stop.ts";
import { taskUpdateTool } from "./task-update.ts";
import { teamCreateTool } from "./team-create.ts";
import { teamDeleteTool } from "./team-delete.ts";

const tools: readonly ToolBoundary[] = [
  agentTool,
  sendMessageTool,
  taskCreateTool,
  taskGetTool,
  taskListTool,
  taskUpdateTool,
  taskOutputTool,
  taskStopTool,
  teamCreateTool,
  teamDeleteTool,
  enterPlanModeTool,
  exitPlanModeTool,
];

type JsonSchema = { readonly [keyword: string]: unknown };
const jsonSchema = (schema: z.ZodType): JsonSchema => z.toJSONSchema(schema, { io: "input" });

/** The documents that TaskGet and TeamCreate return are examined where they are defined. */
const own = tools.flatMap(({ name, input, output }) =>
  revisions.flatMap((revision) =>
    [
      { what: `${name} input, ${revision}`, schema: input[revision] },
      { what: `${name} output, ${revision}`, schema: output[revision] },
    ].flatMap(({ what, schema }) => (schema && !/^(TaskGet|TeamCreate) output/.test(what) ? [{ what, schema }] : [])),
  ),
);

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });

test.each(own)("$what has a title, a description and an example that zod and ajv both take", ({ schema }) => {
  const { title, description, examples } = schema.meta() ?? {};
  expect(title).toBeTypeOf("string");
  expect(description).toBeTypeOf("string");
  expect(examples).toHaveLength(1);
  const validate = ajv.compile(jsonSchema(schema));
  for (const example of examples as unknown[]) {
    expect(schema.parse(example)).toEqual(example);
    expect(validate(example)).toBe(true);
  }
});

test.each(own)("every field of $what is described", ({ schema }) => {
  const undescribed: string[] = [];
  visit(jsonSchema(schema), (node, path) => {
    for (const [field, value] of Object.entries((node["properties"] ?? {}) as Record<string, JsonSchema>)) {
      if (!value["description"]) undescribed.push(`${path}/${field}`);
    }
  });
  expect(undescribed).toEqual([]);
});

test.each(own)("$what lets fields of tomorrow pass", ({ schema }) => {
  visit(jsonSchema(schema), (node) => expect(node["additionalProperties"]).not.toBe(false));
});

test("a revision lacks exactly the tools that its client lacks", () => {
  const lacking = (revision: Revision) => tools.filter(({ input }) => !input[revision]).map(({ name }) => name);
  expect(lacking("2026-02")).toEqual([]);
  expect(lacking("2026-11")).toEqual(["TaskOutput", "TeamCreate", "TeamDelete"]);
});

test("a field called __proto__ never reaches the prototype", () => {
  for (const { input } of tools) {
    for (const schema of Object.values(input)) {
      const read = schema.safeParse(
        JSON.parse('{"__proto__":{"polluted":true},"metadata":{"__proto__":{"polluted":true}}}'),
      );
      if (read.success) expect("polluted" in (read.data as object)).toBe(false);
    }
  }
  expect("polluted" in {}).toBe(false);
});

/**
 * Intended differences from the client's schemas: `-` is only in the client's, `+` only in ours.
 */
const deliberate: Readonly<Record<string, readonly string[]>> = {
  "2.1.41 Task": [
    // Gone from the later clients and in no seed; they pass as unknown fields.
    "- max_turns: integer",
    "- resume: string",
    // Optional in 002, where leaving it out chooses the fork or general-purpose.
    "- required: subagent_type",
    // Behind gates, so not shown to a model of 2.1.41.
    "+ cwd: string",
    "+ isolation: remote | worktree",
  ],
  "2.1.41 SendMessage": [
    // The client asks for `type` alone and refuses later; ours asks for what 003 §5 lists for each
    // type.
    "+ broadcast required: content",
    "+ broadcast required: summary",
    "+ message required: content",
    "+ message required: recipient",
    "+ message required: summary",
    "+ plan_approval_response required: approve",
    "+ plan_approval_response required: recipient",
    "+ plan_approval_response required: request_id",
    "+ shutdown_request required: recipient",
    "+ shutdown_response required: approve",
    "+ shutdown_response required: request_id",
  ],
  // Shown with their defaults applied: a caller may leave both out.
  "2.1.41 TaskOutput": ["- required: block", "- required: timeout"],
  // Shown in non-interactive sessions only.
  "2.1.326 Agent": ["+ run_in_background: boolean"],
};

const corpus = new URL("../../corpus/client/tools/", import.meta.url);
const revisionOf: Readonly<Record<string, Revision>> = {
  "2.1.41": "2026-02",
  "2.1.326": "2026-11",
  "2.1.326-sdk": "2026-11",
};
const clientSchemas = Object.entries(revisionOf).flatMap(([version, revision]) =>
  readdirSync(new URL(`${version}/`, corpus)).map((file) => ({
    version,
    revision,
    file,
    name: file.replace(".schema.json", ""),
  })),
);

test.each(clientSchemas)(
  "$name of client $version has our fields, types, values and required fields, but for what differs on purpose",
  (client) => {
    const { version, revision, file, name } = client;
    const theirs = JSON.parse(readFileSync(new URL(`${version}/${file}`, corpus), "utf8")) as JsonSchema;
    const tool = tools.find((candidate) => candidate.name === name || candidate.aliases.includes(name));
    const schema = version === "2.1.41" && name === "SendMessage" ? TypedSendMessage : tool?.input[revision];
    expect(schema).toBeDefined();
    if (!schema) return;
    const ours = jsonSchema(schema);

    const facts = { theirs: new Set(factsOf(theirs)), ours: new Set(factsOf(ours)) };
    const differences = [
      ...[...facts.theirs].filter((fact) => !facts.ours.has(fact)).map((fact) => `- ${fact}`),
      ...[...facts.ours].filter((fact) => !facts.theirs.has(fact)).map((fact) => `+ ${fact}`),
    ];
    expect(differences.sort()).toEqual([...(deliberate[`${version} ${name}`] ?? [])].sort());
  },
);

function visit(node: unknown, look: (node: JsonSchema, path: string) => void, path = ""): void {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) look(node as JsonSchema, path);
  for (const [key, child] of Object.entries(node)) {
    if (key !== "examples" && key !== "enum" && key !== "required") visit(child, look, `${path}/${key}`);
  }
}

/**
 * A schema as a list of facts: each field with its type or values, and whether it is required.
 * Unions of objects are expanded.
 */
function factsOf(schema: JsonSchema, at = ""): string[] {
  const choices = alternatives(schema);
  const fields = new Map<string, Set<string>>();
  const nested: string[] = [];
  const required: string[] = [];
  for (const choice of choices) {
    const properties = (choice["properties"] ?? {}) as Record<string, JsonSchema>;
    const tag = tagOf(choice);
    for (const [field, value] of Object.entries(properties)) {
      const known = fields.get(field) ?? new Set();
      for (const kind of kindsOf(value)) known.add(kind);
      fields.set(field, known);
      nested.push(...objectsIn(value).flatMap((object) => factsOf(object, `${at}${field}.`)));
    }
    for (const field of (choice["required"] ?? []) as string[]) {
      if (choices.length === 1) required.push(`${at}required: ${field}`);
      else required.push(field === "type" ? `${at}required: type` : `${at}${tag} required: ${field}`);
    }
  }
  return [
    ...[...fields].map(([field, kinds]) => `${at}${field}: ${[...kinds].sort().join(" | ")}`),
    ...required,
    ...nested,
  ];
}

const alternatives = (schema: JsonSchema): JsonSchema[] => {
  const choices = (schema["anyOf"] ?? schema["oneOf"]) as JsonSchema[] | undefined;
  return choices ? choices.flatMap(alternatives) : [schema];
};

const tagOf = (schema: JsonSchema): string =>
  String(((schema["properties"] ?? {}) as Record<string, JsonSchema>)["type"]?.["const"] ?? "");

const objectsIn = (schema: JsonSchema): JsonSchema[] => {
  const choices = alternatives(schema).flatMap((choice) =>
    choice["type"] === "array" ? alternatives(choice["items"] as JsonSchema) : [choice],
  );
  const objects = choices.filter((choice) => choice["properties"]);
  return objects.length === 0 ? [] : [{ anyOf: objects }];
};

const kindsOf = (schema: JsonSchema): string[] =>
  alternatives(schema).flatMap((choice) => {
    if (choice["enum"]) return choice["enum"] as string[];
    if (choice["const"] !== undefined) return [String(choice["const"])];
    if (choice["type"] === "array") return [`array of ${kindsOf(choice["items"] as JsonSchema).join(" | ")}`];
    return [String(choice["type"])];
  });
