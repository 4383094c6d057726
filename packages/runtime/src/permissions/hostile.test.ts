import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Tool } from "../loop/tool.ts";
import type { WorkingMode } from "./finding.ts";
import { createPermissions } from "./permissions.ts";
import type { Behavior } from "./rule.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "hostile-")));
const [project, outside, home] = ["project", "outside", "home"].map((name) => join(top, name)) as [
  string,
  string,
  string,
];
for (const directory of [
  join(project, "src", "deep"),
  join(project, ".git", "hooks"),
  join(project, ".claude"),
  outside,
  home,
]) {
  mkdirSync(directory, { recursive: true });
}
for (const file of ["README.md", ".env", "src/a.ts", "src/.env", ".git/config"])
  writeFileSync(join(project, file), "text\n");
writeFileSync(join(outside, "secret.txt"), "secret\n");
const links = {
  link: outside,
  secret: "../outside/secret.txt",
  chain: "secret",
  ring: "ring",
  dangling: "../outside/new",
  inner: "src",
};
for (const [name, target] of Object.entries(links)) symlinkSync(target, join(project, name));
afterAll(() => rmSync(top, { recursive: true }));

const tools: Readonly<Record<string, Tool>> = Object.fromEntries(
  (["Bash", "Read", "Write", "Edit"] as const).map((name) => {
    const kind = name === "Bash" ? "command" : name === "Read" ? "read" : "write";
    const tool: Tool = {
      definition: { name, description: "", input_schema: {} },
      isReplayable: false,
      isConcurrent: () => false,
      reaches: (input) => [kind === "command" ? { kind, command: String(input) } : { kind, path: String(input) }],
      run: async () => ({ content: [] }),
    };
    return [name, tool];
  }),
);

const written = (text: string): string =>
  text
    .replace(/<U\+([0-9A-F]{4})>/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll("⏎", "\n")
    .replaceAll("⇥", "\t")
    .replaceAll("@P", project)
    .replaceAll("@O", outside)
    .replaceAll("@H", home);

interface Row {
  readonly under: string;
  readonly mode: WorkingMode;
  readonly rules: readonly { readonly behavior: Behavior; readonly text: string }[];
  readonly verdict: string;
  readonly text: string;
  readonly why: string;
}

function rowsOf(file: string): readonly Row[] {
  let under = "";
  const [, ...lines] = readFileSync(new URL(`./hostile/${file}.txt`, import.meta.url), "utf8").split("\n");
  return lines.flatMap((line) => {
    if (line === "") return [];
    if (/^\[\w+\]/.test(line)) {
      under = line;
      return [];
    }
    const [, verdict = "", text = "", why = ""] = /^(allow|ask|deny) (.*) ← (.+)$/.exec(line) ?? [];
    if (verdict === "") throw new Error(`${file}.txt has a line that is no row: ${line}`);
    const [, mode = "", list = ""] = /^\[(\w+)\] ?(.*)$/.exec(under) ?? [];
    const rules = list
      .split(" ;; ")
      .filter(Boolean)
      .map((rule) => {
        const [behavior = "", ...rest] = rule.split(" ");
        return { behavior: behavior as Behavior, text: rest.join(" ").replace("@O", `/${outside}`) };
      });
    return [{ under, mode: mode as WorkingMode, rules, verdict, text, why }];
  });
}

const judge = ({ mode, rules }: Pick<Row, "mode" | "rules">, tool: string, input: string) =>
  createPermissions({
    cwd: project,
    home,
    mode,
    directories: [],
    rules: rules.map((rule) => ({ ...rule, source: "user", base: home })),
    isBypassAvailable: true,
    ask: async () => ({ behavior: "deny", message: "no" }),
    timeoutMs: 1_000,
    newId: () => "q",
  }).judge({ tool: tools[tool] as Tool, input });

describe.each(["one-rule", "reading", "forbidden"])("%s", (file) => {
  const rows = rowsOf(file);
  test.each(rows)("$under $text: $verdict, since $why", (row) => {
    const found = judge(row, "Bash", written(row.text));
    expect(found.behavior, found.reason).toBe(row.verdict);
  });
});

describe("paths", () => {
  const rows = rowsOf("paths");
  test.each(rows)("$under $text: $verdict, since $why", (row) => {
    const [tool = "", path = ""] = row.text.split(/ (.*)/s);
    const found = judge(row, tool, written(path));
    expect(found.behavior, found.reason).toBe(row.verdict);
  });
});

test("there are more than two hundred hostile inputs", () => {
  const all = ["one-rule", "reading", "forbidden", "paths"].flatMap(rowsOf);
  expect(all.filter(({ verdict }) => verdict !== "allow").length).toBeGreaterThan(200);
});
