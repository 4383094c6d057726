import type { Finding } from "../checks.ts";

/** What the last run found with one agent, as it is kept. */
export interface AgentResult {
  readonly agent: string;
  readonly wanted: string;
  readonly day: string;
  readonly found: readonly Finding[];
}

interface AgentLimit {
  readonly agent: string;
  /** The beginning of the check. */
  readonly what: string;
  readonly side: "agent" | "Troupe";
  readonly why: string;
}

/** What was looked into. */
const agentLimits: readonly AgentLimit[] = [];

export const limitOf = (agent: string, { what }: Pick<Finding, "what">): AgentLimit | undefined =>
  agentLimits.find((one) => one.agent === agent && what.startsWith(one.what));

const escaped = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
const rows = (list: readonly (readonly string[])[]) => list.map((row) => `| ${row.join(" | ")} |`).join("\n");

/** The run in which makes of all kinds share a team. */
export const together = "five";

/** docs/interop-acp.md: each check by agent, and of each that fails whose side it is on. */
export function acpPage(results: readonly AgentResult[]): string {
  const sorted = results.filter(({ agent }) => agent !== together).sort((a, b) => (a.agent < b.agent ? -1 : 1));
  const all = results.filter(({ agent }) => agent === together);
  const checks = [...new Set(sorted.flatMap(({ found }) => found.map(({ what }) => what)))];
  const table = rows([
    ["", ...sorted.map(({ agent }) => agent)],
    ["---", ...sorted.map(() => "---")],
    ["package", ...sorted.map(({ wanted }) => `\`${wanted}\``)],
    ["day of the last run", ...sorted.map(({ day }) => day)],
    ...checks.map((what) => [
      what,
      ...sorted.map(({ found }) => found.find((one) => one.what === what)?.state ?? "not run"),
    ]),
  ]);
  const notes = sorted.flatMap(({ agent, found }) =>
    found
      .filter(({ state, note }) => state !== "works" || note !== undefined)
      .map((finding) => {
        const limit = finding.state === "works" ? undefined : limitOf(agent, finding);
        const side = finding.state === "works" ? "" : (limit?.side ?? "not looked into");
        return [agent, finding.what, finding.state, side, limit?.why ?? finding.note ?? ""].map(escaped);
      }),
  );
  return `# Agents of other makes, live

Written by \`npm run interop -- acp --record\`: published agents, installed from npm as they are, run over ACP as teammates of \`troupe mcp --lead\`, each
in a network of loopback alone, with a throw-away home, keys that are none and a model that does as it is bidden ([how](../test-e2e/interop/acp)).

${table}

## Five makes in one team

A session of ours, the official client of MCP, a program in Python that knows only the files, Gemini and CodeBuddy Code over ACP, with one list of
tasks: \`npm run interop -- acp five\`. The same without the live agents is a test of \`npm test\`.

${rows([["check", "state", "note", "day"], ["---", "---", "---", "---"], ...all.flatMap(({ found, day }) => found.map(({ what, state, note = "" }) => [what, state, escaped(note), day]))])}

## Figures, and what does not work

${rows([["agent", "check", "state", "side", "figure or reason"], ["---", "---", "---", "---", "---"], ...notes])}
`;
}
