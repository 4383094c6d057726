import type { Finding } from "./checks.ts";
import { clientOf, isBefore } from "./client.ts";
import { besideAndWithout } from "./crowd/page.ts";
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
  /** How many runs were recorded, by scenario, and in what two of them differed. */
  readonly runs?: Readonly<Record<string, number>>;
  readonly differed?: Readonly<Record<string, readonly string[]>>;
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

function runsOf({ found, runs }: Result, scenarios: readonly Titled[]): string {
  const counts = scenarios.filter(({ id }) => found[id]).map(({ id }) => runs?.[id] ?? 1);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (counts.length === 0) return "none";
  return least === most ? String(least) : `${least} to ${most}`;
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
    ["day of the last run", ...sorted.map(({ day }) => day)],
    ["recorded runs of each scenario", ...sorted.map((result) => runsOf(result, scenarios))],
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
  const differed = sorted.flatMap(({ client, differed = {} }) =>
    Object.entries(differed).flatMap(([id, told]) => told.map((one) => `- ${client}, ${id}: ${escaped(one)}`)),
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

## What differed between runs

The table says what the last run found. Where an earlier one found another state of a check, it stands here.

${differed.length === 0 ? "Nothing." : differed.join("\n")}

## Clients between the revisions

Files of clients 2.1.147 to 2.1.177 are neither of one revision nor of the other ([differences](protocol/differences.md)): ours reads and never
writes them. In 1 and 2, where the team is theirs, ours shows members, tasks and mail, refuses whatever would write with the reason, and changes no
file; a runtime of ours that is started as their teammate says why it is none, and ends. In 3 the team is ours and of revision 2026-02: such
clients are teammates in it as others are, and the lead that made it goes on to write it. For every other process of ours it is from their first
message on a team that is only read, for a lead that is resumed too.

## CodeBuddy Code

It is taken from \`@tencent-ai/agent-sdk\`, by whose version it is called (0.3.201 holds CodeBuddy Code 2.117.0): npm has no other package of it, and in
this one the program without its screen. It is told what to do in lines of JSON. It takes no words of a teammate (\`--agent-id\` is an
unknown option to it), so that scenario 3, the pane of 2 and the question at its screen are not applicable.

## Among many writers

In 4 programs in Python and Perl and two of Node, of which one writes in place, write to members and tasks for two minutes, as do the client's lead
and a teammate of ours, which is killed without warning twice and goes on. Whatever a writer was told is kept is looked for in the files, in the transcript of
ours and in what the models were shown; what the client loses or repeats by itself is counted apart. The measure of that is the same crowd with a teammate of theirs
in the place of ours: \`--scenarios control-4\`. Beside one another stand here the figures that fall short in either run; of what is not in this list
nothing was missing and nothing came twice, with Troupe and without.

${rows([
  ["client", "figure", "beside Troupe", "without Troupe"],
  ["---", "---", "---", "---"],
  ...besideAndWithout(sorted).map((row) => row.map(escaped)),
])}

## What is checked

${checks.join("\n\n")}

## Whether a newer version still does so

Whether the newest version still does what was observed is told by \`npm run interop -- --probe newest\`.
`;
}
