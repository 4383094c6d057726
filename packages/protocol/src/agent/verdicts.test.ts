import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { lintAgentDefinition, lintRules } from "./lint.ts";

const corpus = new URL("../../corpus/agents/", import.meta.url);
const read = (file: string): Buffer => readFileSync(new URL(file, corpus));

type Verdict = "accepted" | "dropped";
interface Case {
  readonly id: string;
  readonly file?: string;
  readonly text?: string;
  readonly base64?: string;
  readonly "2.1.41": Verdict;
  readonly "2.1.327": Verdict;
}
const verdicts: { definitions: readonly Case[]; wild: Readonly<Record<string, Record<string, Verdict>>> } = JSON.parse(
  read("verdicts.json").toString(),
);

/** Every definition that the client was given, and whether it was on its list of agents. */
const seen = [
  ...verdicts.definitions.map(({ id, file = "helper.md", text, base64 = "", "2.1.327": verdict }) => ({
    id,
    path: `.claude/agents/${file}`,
    text: text ?? Buffer.from(base64, "base64").toString(),
    verdict,
  })),
  ...Object.entries(verdicts.wild).map(([shape, { "2.1.327": verdict }]) => ({
    id: `wild ${shape}`,
    path: `.claude/agents/${shape}.md`,
    text: read(`wild/${shape}.md`).toString(),
    verdict,
  })),
].map((one) => ({ ...one, findings: lintAgentDefinition({ ...one, revision: "2026-11" }) }));

const having = (verdict: Verdict, isRight: (severity: string) => boolean) =>
  seen.flatMap((one) =>
    one.verdict === verdict ? one.findings.flatMap(({ rule, severity }) => (isRight(severity) ? [rule] : [])) : [],
  );

test("in 2026-11 a definition has an error exactly if the client ignores it", () => {
  expect(seen.length).toBeGreaterThan(1_400);
  const told = ({ id, text, findings }: (typeof seen)[number]) => ({ id, text: text.slice(0, 200), findings });
  const isWrong = ({ findings }: (typeof seen)[number]) => findings.some(({ severity }) => severity === "error");
  expect(seen.filter((one) => one.verdict === "accepted" && isWrong(one)).map(told)).toEqual([]);
  expect(seen.filter((one) => one.verdict === "dropped" && !isWrong(one)).map(told)).toEqual([]);
});

test("in 2026-02 every definition that the client ignores has a finding, except for merged keys and CR line ends", () => {
  const unsaid = verdicts.definitions.filter(({ file = "helper.md", text, base64 = "", "2.1.41": verdict }) => {
    const target = { path: `.claude/agents/${file}`, text: text ?? Buffer.from(base64, "base64").toString() };
    return verdict === "dropped" && lintAgentDefinition({ ...target, revision: "2026-02" }).length === 0;
  });
  expect(unsaid.map(({ id }) => id)).toEqual(["merge", "merge-anchor", "cr", "yaml-s-crcr"]);
});

/** Of each rule, a definition that breaks it and is taken, and one that is not. */
const pairs: Readonly<Record<string, readonly [accepted: string, dropped: string]>> = {
  "V-AG-01": ["plain", "file-helper.txt"],
  "V-AG-02": ["description-colon", "crlf-broken"],
  "V-AG-03": ["name-title", "name-colon"],
  "V-AG-04": ["description-blank", "description-number"],
  "V-AG-05": ["tools-multi", "tools-quoted-each"],
  "V-AG-06": ["deny-bogus", "deny-quoted-each"],
  "V-AG-07": ["tools-and-deny", "broken-disallowedtools"],
  "V-AG-08": ["model-gpt", "broken-model"],
  "V-AG-09": ["mode-unknown", "broken-permissionmode"],
  "V-AG-10": ["turns-zero", "broken-maxturns"],
  "V-AG-11": ["memory-none", "broken-memory"],
  "V-AG-12": ["skills-string", "broken-skills"],
  "V-AG-13": ["mcp-nothing", "broken-mcpservers"],
  "V-AG-14": ["hooks-no-type", "hooks-path"],
  "V-AG-15": ["no-body", "broken-without-body"],
  "V-AG-16": ["color-teal", "broken-color"],
};

test.each(lintRules.map(({ id }) => id))(
  "%s: what breaks it and is taken has no error; what the client drops has one",
  (rule) => {
    const [accepted, dropped] = (pairs[rule] ?? []).map((id) => seen.find((one) => one.id === id));
    expect([accepted?.verdict, dropped?.verdict]).toEqual(["accepted", "dropped"]);
    // A file beside agents/ is not looked at there, and is no error here.
    const path = rule === "V-AG-01" ? "subagents/helper.md" : ".claude/agents/helper.md";
    const found = lintAgentDefinition({ path, text: accepted?.text ?? "", revision: "2026-11" });
    expect(found).toContainEqual(expect.objectContaining({ rule }));
    expect(found).not.toContainEqual(expect.objectContaining({ severity: "error" }));
    expect(dropped?.findings).toContainEqual(expect.objectContaining({ severity: "error" }));
  },
);

test("five rules name what makes the client ignore a file, and no other has an error in 2026-11", () => {
  const dropping = ["V-AG-01", "V-AG-02", "V-AG-03", "V-AG-04", "V-AG-14"];
  expect([...new Set(having("dropped", (severity) => severity === "error"))].sort()).toEqual(dropping);
});

test("an error of 2026-11 says that Claude Code ignores the file, and nothing else does", () => {
  const strange = seen
    .flatMap(({ findings }) => findings)
    .filter(({ severity, message }) => message.endsWith("Claude Code ignores this file") !== (severity === "error"));
  expect(strange).toEqual([]);
});

test.each([
  [1024 * 1024, []],
  [1024 * 1024 + 1, ["error"]],
])("a definition of %d bytes is read or not as the client does", (size, severities) => {
  const head = "---\nname: helper\ndescription: Checks.\n---\n";
  const text = head + "x".repeat(size - head.length);
  const findings = lintAgentDefinition({ path: "agents/helper.md", text, revision: "2026-11" });
  expect(findings.map(({ severity }) => severity)).toEqual(severities);
});
