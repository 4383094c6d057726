import vm from "node:vm";
import type { jsonSchemaValidator } from "@modelcontextprotocol/client";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import { messageOf } from "@troupe/protocol";
import { z } from "zod";
import type { Tool } from "../loop/tool.ts";

/** How an input of a server's tool is held to the schema that the server gave. */
export type Check = Required<Pick<Tool, "faultOf">>;

type JsonSchema = Parameters<jsonSchemaValidator["getValidator"]>[0];

const longestSchema = 64 * 1_024;
const longestFault = 1_000;
/**
 * An expression of a server's schema may repeat within repeats, and a reference lead to itself: a
 * check that takes longer is none.
 */
const longestMs = 250;

/**
 * The check of one schema, or why the schema is none. A schema is a server's word: no code is made
 * from it, its size and the time of a check are bounded, and one that the model's API would refuse
 * is found here, since it would take every other tool with it.
 */
export function checkOf(schema: object): Check | { readonly problem: string } {
  try {
    if (JSON.stringify(schema).length > longestSchema)
      return { problem: `its schema is longer than ${longestSchema} characters` };
    // A copy, since the engine writes into what it is given, and this is what the model is shown.
    const { data, error } = Keywords.safeParse(structuredClone(schema));
    if (error) return { problem: `its schema is not valid: ${z.prettifyError(error)}`.slice(0, longestFault) };
    const check = validatorOf(data as JsonSchema);
    return { faultOf: (input) => faultIn(check, input) };
  } catch (error) {
    return { problem: `its schema cannot be used: ${messageOf(error)}` };
  }
}

/** The SDK's check of results: the same engine within the same bounds. */
export const boundedValidator: jsonSchemaValidator = {
  getValidator<T>(schema: JsonSchema) {
    const check = validatorOf(structuredClone(schema));
    return (input: unknown) => {
      const fault = faultIn(check, input);
      return fault === undefined
        ? { valid: true as const, data: input as T, errorMessage: undefined }
        : { valid: false as const, data: undefined, errorMessage: fault };
    };
  },
};

type Validator = (input: unknown) => { readonly valid: boolean; readonly errorMessage?: string | undefined };

const validatorOf = (schema: JsonSchema): Validator =>
  new CfWorkerJsonSchemaValidator({ draft: draftOf(schema) }).getValidator(schema);

const draftOf = ({ $schema }: { readonly $schema?: unknown }) =>
  /draft-0\d/.test(String($schema)) ? "7" : String($schema).includes("2019-09") ? "2019-09" : "2020-12";

function faultIn(check: Validator, input: unknown): string | undefined {
  try {
    const { valid, errorMessage } = vm.runInNewContext(
      "check()",
      { check: () => check(input) },
      { timeout: longestMs },
    );
    return valid ? undefined : (errorMessage ?? "it does not match its schema").slice(0, longestFault);
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    const isLate = code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
    const why = isLate ? `that took more than ${longestMs} ms` : String(message);
    return `It could not be checked against the server's schema: ${why}`.slice(0, longestFault);
  }
}

const Schema: z.ZodType = z.lazy(() => z.union([z.boolean(), Keywords]));
const Named = z.record(z.string(), Schema);
const List = z.array(Schema).min(1);
const Type = z.enum(["array", "boolean", "integer", "null", "number", "object", "string"]);
const Count = z.int().nonnegative();

/** The keywords whose values have a form; one that is not known is an annotation. */
const Keywords = z
  .looseObject({
    type: z.union([Type, z.array(Type).min(1)]),
    ...keyed(Named, "properties", "$defs", "definitions", "dependentSchemas"),
    ...keyed(List, "allOf", "anyOf", "oneOf", "prefixItems"),
    ...keyed(Schema, "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else"),
    ...keyed(Schema, "additionalItems", "unevaluatedItems", "unevaluatedProperties"),
    ...keyed(Count, "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
    ...keyed(z.number(), "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    ...keyed(z.string(), "$ref", "format", "title", "description"),
    patternProperties: Named.transform((named) =>
      Object.fromEntries(Object.entries(named).filter(([key]) => isReadable(key))),
    ),
    items: z.union([Schema, z.array(Schema)]),
    pattern: z.string().transform((text) => (isReadable(text) ? text : undefined)),
    required: z.array(z.string()),
    enum: z.array(z.unknown()),
    uniqueItems: z.boolean(),
  })
  .partial();

function keyed<Key extends string>(value: z.ZodType, ...keys: readonly Key[]): Record<Key, z.ZodType> {
  return Object.fromEntries(keys.map((key) => [key, value])) as Record<Key, z.ZodType>;
}

/**
 * Not in the dialect of another language, in which a server may well have written it; then it alone
 * is not checked.
 */
function isReadable(expression: string): boolean {
  try {
    new RegExp(expression, "u");
    return true;
  } catch {
    return false;
  }
}
