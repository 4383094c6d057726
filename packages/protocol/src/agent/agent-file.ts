import { pointer } from "../problems.ts";
import type { AgentProblem } from "./agent-problem.ts";
import { createFieldReader, type FieldReader } from "./field-reader.ts";
import { splitFrontMatter } from "./front-matter.ts";
import { type Repair, repairYaml } from "./repaired-yaml.ts";
import { excessOf, readYaml, type YamlDocument } from "./yaml-document.ts";

/** A definition's file, opened: what the linter judges and the parser reads. */
export interface AgentFile {
  /** Absent if the file has no front matter that can be read. */
  readonly document?: YamlDocument;
  readonly body: string;
  readonly bodyLine: number;
  /** Problems of the file and its YAML; without a document, the first says why. */
  readonly problems: readonly AgentProblem[];
}

/** A Markdown file, read. */
export interface FrontMatterRead<T> {
  /**
   * What its fields gave; absent if there is no front matter that can be read, and then the first
   * problem says why.
   */
  readonly value?: T;
  /** The text below the front matter; the whole file where there is none. */
  readonly body: string;
  readonly problems: readonly AgentProblem[];
}

/**
 * Reads a Markdown file by its front matter. Definitions, skills and commands differ in the
 * `fields` they read.
 */
export function readFrontMatter<T>(text: string, fields: (reader: FieldReader, body: string) => T): FrontMatterRead<T> {
  const { document, body, bodyLine, problems } = openAgentFile(text);
  if (!document) return { body, problems };
  const reader = createFieldReader({
    ...document,
    // What is missing is missing from the front matter, which begins on the first line, or from the
    // body.
    place: (path) => document.place(path) ?? { line: path[0] === "prompt" ? bodyLine : 1, column: 1 },
  });
  const value = fields(reader, body);
  return { value, body, problems: [...problems, ...reader.problems] };
}

/** How a value that YAML rejects is treated here. */
export const takenAsText = "; it is taken as plain text";

/**
 * Opens a definition's file. YAML that is wrong in a way that leaves one reading is read that way,
 * and reported.
 */
export function openAgentFile(text: string): AgentFile {
  const { matter, problems } = splitFrontMatter(text);
  if (!matter) return { body: text, bodyLine: 1, problems };
  const { yaml, yamlLine, body, bodyLine } = matter;
  const read = readYaml(yaml, yamlLine);
  if (read.document) return { document: read.document, body, bodyLine, problems: [...problems, ...read.problems] };

  const repaired = excessOf(yaml) ? undefined : repairYaml(yaml);
  const second = repaired && readYaml(repaired.yaml, yamlLine);
  if (!second?.document) return { body, bodyLine, problems: [...read.problems, ...problems] };
  const reports = repaired?.repairs.map((repair) => reported(repair, yamlLine)) ?? [];
  return { document: second.document, body, bodyLine, problems: [...problems, ...reports, ...second.problems] };
}

function reported({ line, field, reason, fix }: Repair, yamlLine: number): AgentProblem {
  const place = { code: "document_malformed", line: yamlLine + line, column: 1, fix } as const;
  if (field === undefined) return { path: "", ...place, message: reason };
  return {
    path: pointer([field]),
    ...place,
    message: `${field} is not valid YAML: ${reason}${takenAsText}`,
  };
}
