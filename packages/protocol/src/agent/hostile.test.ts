import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAgentsJson } from "./agents-json.ts";
import { AgentDefinition } from "./definition.ts";
import { lintAgentDefinition } from "./lint.ts";
import { parseAgentDefinition } from "./parse.ts";

const prototype = Object.getOwnPropertyNames(Object.prototype).sort();

function survive(text: string): void {
  const { definition, problems } = parseAgentDefinition(text);
  if (definition) expect(AgentDefinition.safeParse(definition).error).toBeUndefined();
  else expect(problems).not.toEqual([]);
  const findings = lintAgentDefinition({ path: "agents/x.md", text, revision: "2026-11" });
  // One `expect` for thousands of findings: each of its own takes longer than to find it.
  const silent = [...problems, ...findings].filter(
    ({ message, fix, line = 0, column = 0 }) => message === "" || fix === "" || Math.min(line, column) <= 0,
  );
  expect(silent).toEqual([]);
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(prototype);
}

const framed = (yaml: string) => `---\nname: helper\ndescription: Checks.\n${yaml}\n---\nText\n`;

test("no text makes the parser or the linter throw", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), survive), { numRuns: 200 });
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => survive(framed(text))),
    { numRuns: 300 },
  );
});

const piece = fc.constantFrom(
  ...[
    "name",
    "description",
    "tools",
    "hooks",
    "mcpServers",
    "__proto__",
    "constructor",
    "x",
    "中",
    "Read",
    "Bash(",
    ")",
  ],
  ...[
    ":",
    ": ",
    " ",
    "\n",
    "\n  ",
    "\n\t",
    "\r\n",
    "- ",
    "? ",
    "|",
    ">",
    "#",
    " #",
    "'",
    '"',
    "{",
    "}",
    "[",
    "]",
    ",",
    "\\",
  ],
  ...[
    "&a ",
    "*a",
    "<<: ",
    "!t ",
    "%",
    "@",
    "`",
    "---\n",
    "...",
    "~",
    "null",
    "true",
    "42",
    "0o7",
    ".nan",
    "\u2028",
    "\uFEFF",
  ],
);

test("no mixture of YAML makes the parser or the linter throw", () => {
  const mixture = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(mixture, (text) => survive(framed(text))),
    { numRuns: 600 },
  );
  fc.assert(
    fc.property(mixture, (text) => survive(`---\n${text}\n---\n`)),
    { numRuns: 400 },
  );
});

test("no values in known fields make the parser or the linter throw", () => {
  const fields = fc.dictionary(
    fc.constantFrom(
      ..."name description tools disallowedTools model permissionMode maxTurns skills mcpServers".split(" "),
      ..."hooks color memory effort background isolation initialPrompt requiredMcpServers prompt".split(" "),
      "__proto__",
    ),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(fields, (value) => {
      survive(`---\n${JSON.stringify(value)}\n---\nText`);
      survive(framed(`hooks: ${JSON.stringify({ Stop: value })}\nmcpServers: ${JSON.stringify(value)}`));
      parseAgentsJson(JSON.stringify(value));
      parseAgentsJson(JSON.stringify({ a: value, b: [value] }));
    }),
    { numRuns: 150 },
  );
});

test("no text makes the reader of --agents throw", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => void parseAgentsJson(text)),
    { numRuns: 500 },
  );
});

/** Close below the length at which front matter is refused unread. */
const room = 65_000;
const filled = (piece: string) => piece.repeat(room / piece.length);
const many = (line: (n: number) => string) => {
  const lines: string[] = [];
  for (let length = 0; length < room - 40; length += (lines.at(-1)?.length ?? 0) + 1) lines.push(line(lines.length));
  return lines.join("\n");
};

test.each<[string, string]>([
  ["collections as keys of keys", filled("? ")],
  ["lists in lists", `x: ${filled("[")}`],
  ["maps in maps", `x: ${filled("{a: ")}`],
  ["dashes", `x:\n${filled("- ")}`],
  ["fields that are given twice", many((n) => `k${n % 1000}: 1`)],
  ["fields", many((n) => `k${n}: 1`)],
  ["fields to repair", many((n) => `k${n}: a: b`)],
  ["fields with wrong values", many((n) => `tools: [k${n}]]`)],
  ["anchors and aliases", many((n) => `k${n}: &a${n} 1\nl${n}: *a${n}`)],
  ["one anchor and its aliases", `x: &a [1]\n${many((n) => `k${n}: *a`)}`],
  ["aliases of aliases", `a0: &a0 [1]\n${many((n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`)}`],
  ["an alias of what holds it, many deep", "x: &x\n  y: &y\n    z: [*x, *y, *x, *y]"],
  ["merges of merges", `a0: &a0 {k: 1}\n${many((n) => `a${n + 1}: &a${n + 1}\n  <<: [*a${n}, *a${n}]`)}`],
  ["blanks", `x: a${filled(" ")}b: c`],
  ["blanks before a comment sign", `tools: a: ${filled(" \t")}x`],
  ["quotes", `description: ${filled('"')}`],
  ["single quotes", `description: ${filled("'")}`],
  ["backslashes", `description: "${filled("\\")}\\"`],
  ["parentheses", `tools: ${filled("Bash(")}`],
  ["a list of parentheses", `tools: [${filled("Bash(a, ")}]`],
  ["prose at the margin", many((n) => `Line ${n} of the description: it goes on`)],
  ["keys without values", filled("x:\n")],
  ["empty lines", filled("\n")],
  ["a megabyte", `description: ${"x".repeat(1_000_000)}`],
])("the parser comes to an end with %s", (_, yaml) => {
  survive(framed(yaml));
});

test.each([
  ["lists in lists", `x: ${"[".repeat(900_000)}`],
  ["fields to repair", "k: a: b\n".repeat(110_000)],
  ["collections as keys", "? ".repeat(400_000)],
])("front matter far beyond its bound is refused unread, and so are its repairs: %s", (_, yaml) => {
  survive(framed(yaml));
  survive(`---\n${yaml}\n---\nText\n`);
});

test("the parser comes to an end without a closing fence, however long the file", () => {
  survive(`---\n${"name: x\n".repeat(500_000)}`);
  survive(`---\n${"\n".repeat(2_000_000)}`);
  survive(" ".repeat(3_000_000));
});

test("brackets that nest deeper than a definition has use for are refused before the parser runs out of stack", () => {
  for (const depth of [101, 3_000, 4_000, 6_000, 20_000]) {
    const text = framed(`x: ${"[".repeat(depth)}${"]".repeat(depth)}`);
    expect(parseAgentDefinition(text).problems[0]?.message).toContain("nested too deeply");
    survive(text);
  }
  expect(parseAgentDefinition(framed(`x: ${"[".repeat(90)}${"]".repeat(90)}`)).definition).toBeDefined();
  expect(parseAgentDefinition(framed(`x: "${"[".repeat(4_000)}"`)).definition).toBeDefined();
});
