import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type MessageDraft, renderBody } from "./messages/body.ts";
import { type JsonSchema, publishedFiles, publishedSchemas } from "./published.ts";
import { codecFor } from "./revisions/detect.ts";
import { revisions } from "./revisions/revision.ts";

/** Documents that satisfy a JSON Schema of ours, with fields of tomorrow among them. */
function documentsOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const branches = (schema["anyOf"] ?? schema["oneOf"]) as JsonSchema[] | undefined;
  if (branches) return fc.oneof(...branches.map(documentsOf));
  if ("const" in schema) return fc.constant(schema["const"]);
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...schema["enum"]);
  const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
  switch (type) {
    case "string":
      return stringsOf(schema);
    case "integer":
      return fc.integer({
        min: Math.max(Number(schema["minimum"] ?? -1000), -1000) + Number("exclusiveMinimum" in schema),
        max: 2 ** 31 - 1,
      });
    case "number":
      return fc.integer({
        min: Number(schema["minimum"] ?? 0) + Number("exclusiveMinimum" in schema),
        max: Number(schema["maximum"] ?? 1_000_000),
      });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(documentsOf((schema["items"] as JsonSchema) ?? {}), {
        minLength: Number(schema["minItems"] ?? 0),
        maxLength: 4,
      });
    case "object":
      return objectsOf(schema);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

const isNever = ({ not }: JsonSchema): boolean =>
  typeof not === "object" && not !== null && Object.keys(not).length === 0;

function stringsOf(schema: JsonSchema): fc.Arbitrary<string> {
  const patterns = [schema, ...((schema["allOf"] as JsonSchema[] | undefined) ?? [])].flatMap((one) =>
    one["pattern"] ? [new RegExp(String(one["pattern"]), "u")] : [],
  );
  const [min, max] = [Number(schema["minLength"] ?? 0), Number(schema["maxLength"] ?? 1000)];
  const some = patterns[0]
    ? fc.stringMatching(patterns[0], { maxLength: 40 })
    : fc.string({ unit: "binary", minLength: min });
  const refused = (schema["not"] as { enum?: string[] } | undefined)?.enum ?? [];
  return some.filter((text) => {
    const length = [...text].length;
    return patterns.every((pattern) => pattern.test(text)) && length >= min && length <= max && !refused.includes(text);
  });
}

function objectsOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema["properties"] as Record<string, JsonSchema> | undefined) ?? {}).filter(
    ([, one]) => !isNever(one),
  );
  const required = (schema["required"] as string[] | undefined) ?? [];
  const known = Object.keys(schema["properties"] ?? {});
  const values = schema["additionalProperties"];
  const strange = fc.dictionary(
    fc.string().filter((key) => !known.includes(key) && key !== "__proto__"),
    typeof values === "object" && values !== null && Object.keys(values).length > 0
      ? documentsOf(values as JsonSchema)
      : fc.jsonValue({ maxDepth: 1 }),
    { maxKeys: 2 },
  );
  const fields = fc.record(Object.fromEntries(properties.map(([key, one]) => [key, documentsOf(one)])), {
    requiredKeys: required,
  });
  return fc.tuple(fields, strange).map(([some, more]) => ({ ...more, ...some }));
}

describe.each(revisions)("%s", (revision) => {
  const codec = codecFor(revision);
  const files = publishedFiles(revision);
  const ajv = new Ajv2020({ allowUnionTypes: true });
  const cases = [...publishedSchemas(revision)].map(([name, schema]) => {
    const json = files.get(`${name}.json`) ?? {};
    return { name, schema, json, validate: ajv.compile(json) };
  });
  const read: Record<string, (text: string) => { raw?: unknown; problems: readonly { code: string }[] }> = {
    "team-config": (text) => codec.readTeam(text),
    inbox: (text) => codec.readInbox(text),
    task: (text) => codec.readTask(text, JSON.parse(text).id),
  };

  test.each(cases)(
    "$name: what is written is read back as it was and written again to the same bytes",
    ({ name, schema, json, validate }) => {
      fc.assert(
        fc.property(documentsOf(json), (document) => {
          expect(schema.safeParse(document).success, JSON.stringify(document)).toBe(true);
          expect(validate(document)).toBe(true);
          const text = codec.write(document);
          const found = read[name]?.(text) ?? { raw: JSON.parse(text), problems: [] };
          expect(found.problems.filter(({ code }) => code !== "id_mismatched" && code !== "name_duplicated")).toEqual(
            [],
          );
          expect(codec.write(found.raw)).toBe(text);
        }),
        { numRuns: 60 },
      );
    },
  );

  test.each(cases.filter(({ name }) => name.startsWith("message-")))(
    "$name: a body that is rendered is read back",
    ({ json }) => {
      fc.assert(
        fc.property(documentsOf(json), (document) => {
          const text = renderBody(document as Parameters<typeof renderBody>[0], revision);
          const body = codec.readBody(text);
          expect(body).toMatchObject({ kind: "message", problems: [] });
          expect(body.kind === "message" && renderBody(body.body as MessageDraft, revision)).toBe(text);
        }),
        { numRuns: 60 },
      );
    },
  );
});
