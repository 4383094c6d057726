import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";

const pagesFolder = join(import.meta.dirname, "../docs/protocol");
const schemasFolder = join(import.meta.dirname, "../schemas");
const pages = readdirSync(pagesFolder).filter((name) => name.endsWith(".md"));
const textOf = (page: string) => readFileSync(join(pagesFolder, page), "utf8");

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
const validators = new Map<string, ValidateFunction>();

/** The validator of `<revision>/<name>`; undefined where no such schema is published. */
function validatorOf(name: string): ValidateFunction | undefined {
  const path = join(schemasFolder, `${name}.json`);
  if (!validators.has(name) && existsSync(path)) {
    validators.set(name, ajv.compile(JSON.parse(readFileSync(path, "utf8")) as object));
  }
  return validators.get(name);
}

/** The published schemas of documents: every example of one must be validated against it. */
const documentNames = readdirSync(schemasFolder)
  .filter((name) => /^\d/.test(name))
  .flatMap((revision) =>
    readdirSync(join(schemasFolder, revision))
      .filter((file) => /^(team-config|inbox|inbox-entry|task|message-.*)\.json$/.test(file))
      .map((file) => `${revision}/${file.slice(0, -".json".length)}`),
  );

interface Fence {
  readonly at: string;
  readonly marker: string;
  readonly json: string;
}

/** The JSON fences of a page, each with the comment on the line above it. */
function fencesOf(page: string): Fence[] {
  return [...textOf(page).matchAll(/^(.*)\n```json\n([\s\S]*?)^```$/gm)].map((match) => {
    const line = textOf(page).slice(0, match.index).split("\n").length + 1;
    return { at: `${page}:${line}`, marker: match[1] ?? "", json: match[2] ?? "" };
  });
}

const fences = pages.flatMap(fencesOf);
/** One example can be right by the schemas of both revisions. */
const schemasOf = ({ marker }: Fence) => /^<!-- schema: (\S+(?: \S+)*) -->$/.exec(marker)?.[1]?.split(" ") ?? [];
const examples = fences.flatMap((fence) => schemasOf(fence).map((schema) => ({ ...fence, schema })));
const others = fences.filter((fence) => schemasOf(fence).length === 0);

describe("the pages of the protocol", () => {
  test("the documents of a package exist, and its README names each", () => {
    expect(pages.length).toBeGreaterThanOrEqual(14);
    const readme = textOf("README.md");
    expect(pages.filter((page) => page !== "README.md" && !readme.includes(`(${page})`))).toEqual([]);
  });

  test("open every fence of JSON right below its comment, and close it", () => {
    for (const page of pages) {
      const fenced = textOf(page).match(/^[ \t]*```json.*$/gm) ?? [];
      expect(fenced, page).toHaveLength(fencesOf(page).length);
    }
  });

  test.each(pages)("%s links to nothing that is not there", (page) => {
    const prose = textOf(page).replace(/^```[\s\S]*?^```$/gm, "");
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    const dead = links.filter((link) => {
      if (/^[a-z]+:/.test(link)) return false;
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page : path;
      if (!existsSync(join(pagesFolder, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(dead).toEqual([]);
  });
});

describe("the examples of the protocol", () => {
  test.each(examples)("$at is right by $schema", ({ schema, json }) => {
    const validate = validatorOf(schema);
    expect(validate, `there is no schemas/${schema}.json`).toBeDefined();
    const document = JSON.parse(json) as unknown;
    validate?.(document);
    expect(validate?.errors ?? []).toEqual([]);
    for (const { type, body } of bodiesIn(document)) {
      const name = `${schema.split("/")[0]}/message-${type}`;
      validatorOf(name)?.(body);
      expect(validatorOf(name)?.errors ?? [], `${name}: ${JSON.stringify(body)}`).toEqual([]);
    }
  });

  test.each(others)("$at says what it is, and is no whole document", ({ marker, json }) => {
    expect(marker).toMatch(/^<!-- no schema: .+ -->$/);
    const value = JSON.parse(json) as unknown;
    expect(documentNames.filter((name) => validatorOf(name)?.(value))).toEqual([]);
  });

  test("show every document and every message of both revisions", () => {
    const shown = new Set(examples.map(({ schema }) => schema));
    expect(documentNames.filter((name) => !shown.has(name))).toEqual([]);
  });
});

/** The structured bodies that stand as text in an inbox, or in one entry. */
function bodiesIn(document: unknown): { type: string; body: unknown }[] {
  return [document].flat().flatMap((entry) => {
    const { text } = (entry ?? {}) as { text?: unknown };
    if (typeof text !== "string" || !text.startsWith("{")) return [];
    const body = JSON.parse(text) as { type?: unknown };
    return typeof body.type === "string" ? [{ type: body.type, body }] : [];
  });
}

/** The anchors that the headings of a page make, as code hosts make them. */
function anchorsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-"),
  );
}
