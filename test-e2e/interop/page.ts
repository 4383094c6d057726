import type { Finding } from "./checks.ts";
import { clientOf, isBefore } from "./client.ts";
import { knownLimits, limitOf } from "./known.ts";

/** What one run found beside one client, as it is kept. */
export interface Result {
  /** As `claude-code@2.1.41`. */
  readonly client: string;
  /** The day of the run. */
  readonly day: string;
  /** Where it ran. */
  readonly solitude: string;
  /** By the id of the scenario; of a version that npm has no more, nothing. */
  readonly found: Readonly<Record<string, readonly Finding[]>>;
  readonly gone?: string;
}

interface Titled {
  readonly id: string;
  readonly title: string;
}

const escaped = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");

const byVersion = (a: Result, b: Result): number => {
  const [one, other] = [clientOf(a.client), clientOf(b.client)];
  if (one.kind !== other.kind) return one.kind < other.kind ? -1 : 1;
  return isBefore(one.version, other.version) ? -1 : 1;
};

function cell(findings: readonly Finding[] | undefined): string {
  if (!findings) return "not run";
  const counted = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
  const fails = counted("fails");
  if (fails === 0) return counted("works") === 0 ? "not applicable" : "works";
  return `works but for ${fails} of ${findings.length}`;
}

/** docs/interop.md: scenario by version, and each check that fails, with whose side it is on. */
export function interopPage(scenarios: readonly Titled[], results: readonly Result[]): string {
  const sorted = [...results].sort(byVersion);
  const rows = (list: readonly (readonly string[])[]) => list.map((row) => `| ${row.join(" | ")} |`).join("\n");
  const table = rows([
    ["scenario", ...sorted.map(({ client }) => client.replace("@", " "))],
    ["---", ...sorted.map(() => "---")],
    ...scenarios.map(({ id, title }) => [
      `${id}. ${title}`,
      ...sorted.map(({ found, gone }) => gone ?? cell(found[id])),
    ]),
    ["day of the run", ...sorted.map(({ day }) => day)],
  ]);
  const open = sorted.flatMap(({ client, found }) =>
    Object.entries(found).flatMap(([id, findings]) =>
      findings
        .filter(({ state }) => state !== "works")
        .map((finding) => {
          const limit = limitOf(clientOf(client), id, finding);
          const whose = finding.state === "fails" ? (limit?.side ?? "not looked into") : "nobody's";
          return [client, id, finding.what, finding.state, whose, limit?.why ?? finding.note ?? ""].map(escaped);
        }),
    ),
  );
  const checks = scenarios.map(({ id, title }) => {
    const of = sorted.flatMap(({ found }) => found[id] ?? []);
    const names = [...new Set(of.map(({ what }) => what))];
    return `### ${id}. ${title}\n\n${names.map((what) => `- ${what}`).join("\n")}`;
  });
  return `# Beside real clients

Written by \`npm run interop -- --record\`: published clients, installed from npm as they are, run at a screen with a throw-away home and a model
that is bidden what to do ([how](../test-e2e/interop)). What is held against them stands on disk and in what their models were shown.

${table}

## What does not work, and whose side it is

${
  open.length === 0
    ? "Nothing."
    : rows([
        ["client", "scenario", "check", "state", "side", "why"],
        ["---", "---", "---", "---", "---", "---"],
        ...open,
      ])
}

## Known limits

They were looked into; some do not show in every run.

${rows([
  ["client", "versions tried", "scenario", "check", "side", "why"],
  ["---", "---", "---", "---", "---", "---"],
  ...knownLimits.map(({ kind, from, to, scenario, what, side, why }) =>
    [kind, `${from} to ${to}`, scenario, `${what} …`, side, why].map(escaped),
  ),
])}

## What is checked

${checks.join("\n\n")}

## Not run yet

Mixed leads with four foreign writers for two minutes (4), transcripts, settings and skills (6), CodeBuddy Code. Whether the newest version still does what was observed is told by \`npm run interop -- --probe newest\`.
`;
}
