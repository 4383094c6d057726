import { Document, isScalar, visit } from "yaml";
import { type AgentDefinition, knownFields } from "./definition.ts";

/**
 * The Markdown of a definition. Reading it back yields the same definition, if its prompt has no
 * blanks around it.
 */
export function renderAgentDefinition({ prompt, ...fields }: AgentDefinition): string {
  const known = [...knownFields].filter((key) => Object.hasOwn(fields, key)).map((key) => [key, fields[key]] as const);
  const unknown = Object.entries(fields).filter(([key]) => !knownFields.has(key));
  const given = [...known, ...unknown].filter(([, value]) => value !== undefined);
  const document = new Document(Object.fromEntries(given), {
    version: "1.2",
    compat: "yaml-1.1",
    aliasDuplicateObjects: false,
  });
  visit(document, {
    // Other readers take a `\n` in an unquoted text for a line break, and stumble over colons.
    Pair: (_, { key, value }) => {
      if (isScalar(key) && isScalar(value) && typeof value.value === "string" && prose.has(String(key.value))) {
        value.type = "QUOTE_DOUBLE";
      }
    },
  });
  return `---\n${document.toString({ lineWidth: 0 })}---\n\n${prompt}\n`;
}

const prose: ReadonlySet<string> = new Set(["description", "initialPrompt"]);
