import { lintRules } from "@troupe/protocol/agent";

/** A definition as somebody might write it. */
export interface Definition {
  /** Stands in its name and its description where it has them. */
  readonly mark: string;
  /** The rule that it is about. */
  readonly rule: string;
  readonly file: string;
  readonly text: string;
}

/** Lines of front matter in which `MARK` stands for what is its own; without a body where told. */
type Shape = string | { readonly text: string } | { readonly file: string };

const head = "name: MARK\ndescription: About MARK.";
const field = (key: string, values: readonly string[]): readonly string[] =>
  values.map((value) => `${head}\n${key}: ${value}`);
const named = (names: readonly string[]): readonly string[] =>
  names.map((name) => `name: ${name}\ndescription: About MARK.`);
const described = (values: readonly string[]): readonly string[] =>
  values.map((value) => `name: MARK\ndescription: ${value}`);
const whole = (...texts: readonly string[]): readonly Shape[] => texts.map((text) => ({ text }));
const hook = (event: string, entry: string): string => `${head}\nhooks:\n  ${event}:\n    - ${entry}`;
const running = "hooks: [{ type: command, command: 'true' }]";

/** For each rule, what keeps it and what breaks it. */
const shapes: Readonly<Record<string, readonly Shape[]>> = {
  "V-AG-01": [
    ...["MARK.md", "MARK.MD", "MARK.txt", "MARK", "deep/er/MARK.md", "MARK.md.bak", ".MARK.md", "MARK.markdown"],
    ...["with space MARK.md", "README-MARK.md", "agents/MARK.md", "ünï-MARK.md"],
  ].map((file) => ({ file })),
  "V-AG-02": [
    ...whole(
      `---\n${head}\n---\nBody.\n`,
      `---\r\n${head.replace("\n", "\r\n")}\r\n---\r\nBody.\r\n`,
      `\uFEFF---\n${head}\n---\nBody.\n`,
      `\n---\n${head}\n---\nBody.\n`,
      `--- \n${head}\n---\nBody.\n`,
      `---\n${head}\nBody.\n`,
      `${head}\n`,
      "About MARK.\n",
      `---\n${head}\nname: other-MARK\n---\nBody.\n`,
      `---\n${head}: with more\n---\nBody.\n`,
      `---\n${head}\ncolor: "red\n---\nBody.\n`,
      `---\n${head}\ntools: [Read\n---\nBody.\n`,
      `---\n- ${head.replace("\n", "\n- ")}\n---\nBody.\n`,
      `----\n${head}\n----\nBody.\n`,
    ),
  ],
  "V-AG-03": [
    ...named(["MARK", "MARK-two-three", "Title-MARK", "under_MARK", "double--MARK", "MARK-", "MARK.dot"]),
    ...named([
      '"MARK"',
      "'MARK with space'",
      "-MARK",
      "a:MARK",
      "MARK:",
      "''",
      "12",
      "true",
      "[MARK]",
      `MARK${"x".repeat(250)}`,
    ]),
    "description: About MARK.",
  ],
  "V-AG-04": [
    ...described([
      "About MARK.",
      '"About MARK: more"',
      "'About MARK # here'",
      "|\n  About MARK.\n  More.",
      ">-\n  About MARK.\n  More.",
    ]),
    ...described(["''", '"   "', "12", "true", "[About MARK]", "{ about: MARK }", "~", ""]),
    "name: MARK",
  ],
  "V-AG-05": field("tools", [
    ...["Read", "Read, Grep, Glob", "[Read, Grep]", '"*"', "Agent(explorer)", "Task(explorer)", "Bash(git log:*)"],
    ...[
      "mcp__server__tool",
      "Raed",
      "MultiEdit",
      "''",
      "[]",
      "12",
      "{ Read: true }",
      "Bash(unclosed",
      "Read Grep",
      "[Read, 12]",
    ],
  ]),
  "V-AG-06": field("disallowedTools", [
    ...[
      "Write",
      "Write, Edit",
      "[Write, Edit]",
      '"*"',
      "Agent(explorer)",
      "Nonsense",
      "''",
      "[]",
      "12",
      "mcp__server__tool",
    ],
  ]),
  "V-AG-07": [
    ...["Write", "[Write]", "[]", "''", "Read", "Nonsense"].map(
      (denied) => `${head}\ntools: Read, Grep\ndisallowedTools: ${denied}`,
    ),
    `${head}\ntools: []\ndisallowedTools: [Write]`,
    `${head}\ntools: ''\ndisallowedTools: Write`,
  ],
  "V-AG-08": field("model", [
    ...[
      "sonnet",
      "opus",
      "haiku",
      "inherit",
      "Sonnet",
      "claude-sonnet-4-5",
      "gpt-5",
      "opusplan",
      "''",
      "12",
      "[sonnet]",
      "fable",
    ],
  ]),
  "V-AG-09": field("permissionMode", [
    ...[
      "default",
      "acceptEdits",
      "plan",
      "bypassPermissions",
      "dontAsk",
      "auto",
      "delegate",
      "bubble",
      "Plan",
      "''",
      "12",
      "manual",
    ],
  ]),
  "V-AG-10": field("maxTurns", ["1", "30", "0", "-1", "1.5", '"30"', "many", "''", "[3]", "9007199254740993", "1e2"]),
  "V-AG-11": field("memory", ["user", "project", "local", "User", "global", "true", "''", "[user]", "{ scope: user }"]),
  "V-AG-12": field("skills", ["[]", "[absent]", "absent", "'a, b'", "[12]", "12", "{ a: b }", "[absent, absent]"]),
  "V-AG-13": field("mcpServers", [
    ...[
      "[absent]",
      "[{ s: { command: 'true' } }]",
      "[{ command: 'true' }]",
      "[{}]",
      "absent",
      "12",
      "[12]",
      "{ s: { command: 'true' } }",
    ],
    "[{ s: { type: http, url: 'http://127.0.0.1:9/' } }]",
  ]),
  "V-AG-14": [
    ...["PreToolUse", "PostToolUse", "Stop", "PermissionRequest", "SessionStart", "Nonsense"].map((event) =>
      hook(event, `{ ${running} }`),
    ),
    ...["PreToolUse", "PermissionRequest", "Stop"].flatMap((event) => [
      hook(event, "{ matcher: [Bash], hooks: [] }"),
      hook(event, "{ matcher: Bash }"),
      hook(event, "{ hooks: [{ type: nonsense }] }"),
      hook(event, "text"),
    ]),
    ...field("hooks", ["{}", "[]", "text", "12", "''", "true"]),
  ],
  "V-AG-15": whole(
    `---\n${head}\n---\n`,
    `---\n${head}\n---`,
    `---\n${head}\n---\n \n\n`,
    `---\n${head}\n---\n# Heading\n`,
    `---\n${head}\n--- Body on the line.\n`,
    `---\n${head}\nprompt: in the matter\n---\n`,
    `---\n${head}\n---\n---\n`,
    `---\n${head}\n---\n<!-- nothing -->\n`,
  ),
  "V-AG-16": field("color", [
    "red",
    "blue",
    "pink",
    "Blue",
    "teal",
    "'#ff0000'",
    "12",
    "''",
    "[red]",
    "green",
    "yellow",
    "purple",
    "orange",
    "cyan",
  ]),
};

/** Two hundred definitions, the same each time. */
export const definitions: readonly Definition[] = lintRules
  .flatMap(({ id }) => (shapes[id] ?? []).map((shape) => [id, shape] as const))
  .map(([rule, shape], nth) => definitionOf(rule, shape, `def-${String(nth + 1).padStart(3, "0")}`));

function definitionOf(rule: string, shape: Shape, mark: string): Definition {
  const filled = (text: string) => text.replaceAll("MARK", mark);
  const usual = (matter: string) => `---\n${matter}\n---\nYou are an agent.\n`;
  const [file, text] =
    typeof shape === "string"
      ? ["MARK.md", usual(shape)]
      : "file" in shape
        ? [shape.file, usual(head)]
        : ["MARK.md", shape.text];
  return { mark, rule, file: filled(file), text: filled(text) };
}
