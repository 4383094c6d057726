/** Names what a Markdown file is if it is not an agent definition; undefined if it may be one. */
export function otherRole(file: string, text: string): string | undefined {
  const [name = "", ...directories] = file.split(/[/\\]/).toReversed();
  if (name === "SKILL.md") return "a skill";
  const place = directories.find((directory) => directory === "agents" || places.has(directory));
  if (place !== undefined && place !== "agents") return places.get(place);
  // Claude Code too reads a file with a `name` field as a definition.
  return documentation.test(name) && !hasName(text) ? "documentation" : undefined;
}

function hasName(text: string): boolean {
  const [, matter = ""] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)---/.exec(text) ?? [];
  return /^["']?name["']?[ \t]*:/m.test(matter);
}

/** Roles by the name of the nearest directory. */
const places: ReadonlyMap<string, string> = new Map([
  ["commands", "a command"],
  ["skills", "part of a skill"],
  ["output-styles", "an output style"],
]);

const documentation =
  /^(README|CLAUDE|AGENTS|GEMINI|CHANGELOG|CONTRIBUTING|CODE_OF_CONDUCT|SECURITY|LICENSE|INDEX)\b.*\.md$/i;
