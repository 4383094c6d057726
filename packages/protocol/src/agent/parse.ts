import { readFrontMatter } from "./agent-file.ts";
import { type ParsedDefinition, type ParseOptions, readDefinition } from "./read-definition.ts";

/**
 * Reads a definition's file leniently, for running it: keeps unknown fields, accepts near misses,
 * and omits unusable parts with a warning. Without `definition` the file is unusable, and the
 * problems say what to fix.
 */
export function parseAgentDefinition(text: string, options: ParseOptions = {}): ParsedDefinition {
  const { value, problems } = readFrontMatter(text, (reader, body) => readDefinition(reader, body, options));
  return value ? { definition: value, problems } : { problems };
}
