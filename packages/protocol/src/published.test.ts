import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { messageKinds } from "./messages/body.ts";
import { problemsOf } from "./problems.ts";
import { problemsWith, publishedFiles, publishedSchemas, type Revision, revisions } from "./published.ts";

const schemasFolder = join(import.meta.dirname, "../../../schemas");
const corpus = join(import.meta.dirname, "../corpus");

function validatorsOf(revision: Revision) {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  const files = publishedFiles(revision);
  return new Map(
    [...publishedSchemas(revision)].map(([name, schema]) => {
      const validate = ajv.compile(files.get(`${name}.json`) ?? {});
      return [name, { schema, validate, json: files.get(`${name}.json`) ?? {} }];
    }),
  );
}
const validators = Object.fromEntries(revisions.map((revision) => [revision, validatorsOf(revision)]));

/** The documents of one verdict: `corpus/<verdict>/<revision>/<schema>/<case>.json`. */
function casesOf(verdict: "right" | "wrong") {
  return revisions.flatMap((revision) =>
    readdirSync(join(corpus, verdict, revision)).flatMap((name) =>
      readdirSync(join(corpus, verdict, revision, name)).map((file) => ({
        revision,
        name,
        file,
        document: JSON.parse(readFileSync(join(corpus, verdict, revision, name, file), "utf8")) as unknown,
      })),
    ),
  );
}

describe.each(revisions)("%s", (revision) => {
  const all = [...(validators[revision] ?? [])];

  test("the committed schemas are the ones the code makes; `npm run schemas` renews them", () => {
    const files = publishedFiles(revision);
    expect(readdirSync(join(schemasFolder, revision)).sort()).toEqual([...files.keys()].sort());
    for (const [file, schema] of files) {
      expect(readFileSync(join(schemasFolder, revision, file), "utf8"), file).toBe(
        `${JSON.stringify(schema, null, 2)}\n`,
      );
    }
  });

  test("the schema of a message is what its kind writes in this revision", () => {
    const schemas = publishedSchemas(revision);
    for (const { type, published } of messageKinds) expect(schemas.get(`message-${type}`)).toBe(published[revision]);
  });

  test("every schema has its urn, a title, a description and an example, and every field a description", () => {
    for (const [name, { json }] of all) {
      expect(json["$id"]).toBe(`urn:troupe:schema:${revision}:${name}`);
      expect(json["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
      for (const keyword of ["title", "description"]) expect(json[keyword], `${name} ${keyword}`).toBeTypeOf("string");
      expect(json["examples"], name).toHaveLength(1);
      expect(undescribed(json), name).toEqual([]);
    }
  });

  test("a problem of a document is reported with its position and a fix", () => {
    const schema = publishedSchemas(revision).get("task") as (typeof all)[number][1]["schema"];
    const task = { id: "1", subject: "s", description: "d", status: "pending", blocks: [], blockedBy: [] };
    expect(problemsWith(schema, task)).toEqual([]);
    expect(problemsWith(schema, { ...task, subject: 5, status: undefined })).toMatchObject([
      { path: "/subject", code: "field_invalid", fix: expect.stringContaining("/subject") },
      { path: "/status", code: "field_missing", fix: expect.stringContaining("/status") },
    ]);
  });

  test("every example is right, for zod and for ajv, and stays right with a field of tomorrow", () => {
    for (const [name, { json, schema, validate }] of all) {
      for (const example of json["examples"] as object[]) {
        const isMap = Object.keys(json["additionalProperties"] ?? {}).length > 0;
        const later = Array.isArray(example) || isMap ? example : { ...example, ofTomorrow: { deep: [1] } };
        for (const document of [example, later]) {
          expect(schema.safeParse(document).error?.issues, name).toBeUndefined();
          expect(validate(document), `${name} ${JSON.stringify(validate.errors)}`).toBe(true);
        }
      }
    }
  });

  test("zod and ajv give the same verdict on whatever an example is turned into", () => {
    for (const [name, { json, schema, validate }] of all) {
      const mutant = fc.constantFrom(...(json["examples"] as object[])).chain((example) =>
        fc
          .record({
            at: fc.nat(),
            value: fc.oneof(
              fc.jsonValue({ maxDepth: 1 }),
              fc.constantFrom("", "a@b", "../x", "1", -1, 1.5, 2 ** 53, true, [], {}),
            ),
            isGone: fc.boolean(),
          })
          .map((change) => mutate(example, change)),
      );
      fc.assert(
        fc.property(mutant, (document) => {
          expect(validate(document), `${name} ${JSON.stringify(document)}`).toBe(schema.safeParse(document).success);
        }),
        { numRuns: 150 },
      );
    }
  });
});

describe.each(casesOf("right"))("right: $revision $name $file", ({ revision, name, document }) => {
  test("zod and ajv accept it", () => {
    const entry = validators[revision]?.get(name);
    expect(entry?.schema.safeParse(document).error?.issues).toBeUndefined();
    expect(entry?.validate(document)).toBe(true);
  });
});

describe.each(casesOf("wrong"))("wrong: $revision $name $file", ({ revision, name, file, document }) => {
  test("zod and ajv refuse it, for one reason, at the place its name says", () => {
    const entry = validators[revision]?.get(name);
    if (!entry) throw new Error(`there is no schema ${name}`);
    const read = entry.schema.safeParse(document);
    const problems = read.error ? problemsOf(read.error, document) : [];
    expect(problems).toHaveLength(1);
    expect(entry.validate(document)).toBe(false);
    const place = problems[0]?.path.split("/").findLast((key) => /[^0-9]/.test(key)) ?? "document";
    expect(file.startsWith(`${place}-`), `${file} should begin with ${place}-`).toBe(true);
  });
});

test("the corpus of wrong documents has at least 120 of them, and the right ones stay", () => {
  expect(casesOf("wrong").length).toBeGreaterThanOrEqual(120);
  expect(existsSync(join(corpus, "right"))).toBe(true);
});

/** The properties of a schema that say nothing of themselves. */
function undescribed(schema: unknown, path = ""): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((item, index) => undescribed(item, `${path}/${index}`));
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === "examples" || keyword === "enum" || keyword === "required" || keyword === "default") return [];
    if (keyword !== "properties") return undescribed(value, `${path}/${keyword}`);
    return Object.entries(value as Record<string, Record<string, unknown>>).flatMap(([name, property]) => [
      ...(property["description"] || property["const"] !== undefined || property["not"] ? [] : [`${path}/${name}`]),
      ...undescribed(property, `${path}/${name}`),
    ]);
  });
}

/** The example with one of its values, at any depth, replaced or taken away. */
function mutate(example: object, { at, value, isGone }: { at: number; value: unknown; isGone: boolean }): unknown {
  const copy = structuredClone(example);
  const places: [Record<PropertyKey, unknown>, string][] = [];
  const walk = (node: unknown) => {
    if (typeof node !== "object" || node === null) return;
    for (const key of Object.keys(node)) {
      places.push([node as Record<PropertyKey, unknown>, key]);
      walk((node as Record<PropertyKey, unknown>)[key]);
    }
  };
  walk(copy);
  const place = places[at % (places.length + 1)];
  if (!place) return value;
  const [parent, key] = place;
  if (isGone && Array.isArray(parent)) parent.splice(Number(key), 1);
  else if (isGone) delete parent[key];
  else parent[key] = value;
  return copy;
}
