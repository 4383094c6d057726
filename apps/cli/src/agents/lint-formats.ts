import { sarifLog, sarifUri } from "@troupe/conformance";
import { lintRules } from "@troupe/protocol/agent";
import { type LintReport, type LocatedFinding, totals } from "./lint-text.ts";

/** Renders workflow commands, which GitHub shows beside the lines; the last line is for the log. */
export const githubAnnotations = (judged: LintReport): string =>
  [...judged.findings.map(annotation), totals(judged)].join("\n");

const levels = { error: "error", warning: "warning", note: "notice" } as const;

function annotation({ file, line, column, rule, severity, message, fix }: LocatedFinding): string {
  const values = { file, line, col: column, title: rule };
  const properties = Object.entries(values).map(([name, value]) => `${name}=${property(String(value))}`);
  return `::${levels[severity]} ${properties.join(",")}::${data(`${message}\nfix: ${fix}`)}`;
}

/** Escapes the characters that would end a workflow command or begin another. */
const data = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** Renders SARIF 2.1.0 with paths relative to the working directory. */
export function lintSarif({ revision, findings }: LintReport, version: string): string {
  const rules = lintRules.map(({ id, title, severity }) => ({
    id,
    shortDescription: { text: title },
    defaultConfiguration: { level: severity },
  }));
  return sarifLog({
    tool: { driver: { name: "troupe agents lint", version, semanticVersion: version, rules } },
    columnKind: "utf16CodeUnits",
    invocations: [{ executionSuccessful: true }],
    results: findings.map(({ file, line, column, rule, severity, path, message, fix }) => ({
      ruleId: rule,
      ruleIndex: rules.findIndex(({ id }) => id === rule),
      level: severity,
      message: { text: `${message}. Fix: ${fix}.` },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: sarifUri(file), uriBaseId: "%SRCROOT%" },
            region: { startLine: line, startColumn: column },
          },
          ...(path !== "" && { logicalLocations: [{ fullyQualifiedName: path, kind: "member" }] }),
        },
      ],
    })),
    properties: { revision },
  });
}
