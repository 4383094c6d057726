import { openAgentFile } from "./agent-file.ts";
import type { FieldSource } from "./field-reader.ts";
import { type ParsedDefinition, type ParseOptions, readDefinition } from "./read-definition.ts";

/**
 * Reads a definition's file as it must be read at run time: unknown fields are kept, near misses are taken, and what cannot be used is left
 * out with a warning. Without `definition` the file cannot be used, and the problems say what to mend.
 */
export function parseAgentDefinition(text: string, options: ParseOptions = {}): ParsedDefinition {
  const { document, body, bodyLine, problems } = openAgentFile(text);
  if (!document) return { problems };
  const whole: FieldSource = {
    ...document,
    // What is missing is missing from the front matter, which begins on the first line, or from the body.
    place: (path) => document.place(path) ?? { line: path[0] === "prompt" ? bodyLine : 1, column: 1 },
  };
  const read = readDefinition(whole, body, options);
  return { ...read, problems: [...problems, ...read.problems] };
}
