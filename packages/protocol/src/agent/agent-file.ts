import { pointer } from "../problems.ts";
import type { AgentProblem } from "./agent-problem.ts";
import { splitFrontMatter } from "./front-matter.ts";
import { type Mend, mendYaml } from "./mended-yaml.ts";
import { readYaml, type YamlDocument } from "./yaml-document.ts";

/** A definition's file, opened: what the linter judges and the parser reads. */
export interface AgentFile {
  /** Absent if the file has no front matter that can be read. */
  readonly document?: YamlDocument;
  readonly body: string;
  readonly bodyLine: number;
  /** What is wrong with the file and its YAML; without a document, the first says why. */
  readonly problems: readonly AgentProblem[];
}

/** Opens a definition's file. YAML that is wrong in a way that leaves one reading is read that way, and reported. */
export function openAgentFile(text: string): AgentFile {
  const { matter, problems } = splitFrontMatter(text);
  if (!matter) return { body: text, bodyLine: 1, problems };
  const { yaml, yamlLine, body, bodyLine } = matter;
  const read = readYaml(yaml, yamlLine);
  if (read.document) return { document: read.document, body, bodyLine, problems: [...problems, ...read.problems] };

  const mended = mendYaml(yaml);
  const second = mended && readYaml(mended.yaml, yamlLine);
  if (!second?.document) return { body, bodyLine, problems: [...read.problems, ...problems] };
  const reports = mended?.mends.map((mend) => reported(mend, yamlLine)) ?? [];
  return { document: second.document, body, bodyLine, problems: [...problems, ...reports, ...second.problems] };
}

function reported({ line, field, reason, fix }: Mend, yamlLine: number): AgentProblem {
  const place = { code: "document_malformed", line: yamlLine + line, column: 1, fix } as const;
  if (field === undefined) return { path: "", ...place, message: reason };
  return {
    path: pointer([field]),
    ...place,
    message: `${field} is not valid YAML: ${reason}; it is taken as plain text`,
  };
}
