import type { Revision } from "../../revisions/revision.ts";
import type { AgentFile } from "../agent-file.ts";
import type { Position } from "../agent-problem.ts";
import type { ClientReading } from "../client-reading.ts";

/**
 * An error makes a definition invalid, a warning doubtful; a note says what another client does.
 */
export type LintSeverity = "error" | "warning" | "note";

/** The surroundings of a definition. A rule that needs missing ones finds nothing. */
export interface LintSurroundings {
  /** The skills there are, by name or by `plugin:name`. */
  readonly skills?: readonly string[];
  /** The MCP servers there are, by name. */
  readonly mcpServers?: readonly string[];
  /** Tools that exist beside the built-in ones. */
  readonly tools?: readonly string[];
}

/** The input of a rule. */
export interface LintSubject {
  readonly path: string;
  readonly revision: Revision;
  readonly surroundings: LintSurroundings;
  readonly file: AgentFile;
  /** In revision 2026-11: what its client makes of the file. */
  readonly client?: ClientReading;
  /**
   * Where Claude Code of either revision ends the front matter: at the first `---` below the
   * opening one, anywhere in its line.
   */
  readonly clientEnd?: Position;
  /** The fields as the client of the revision reads them. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** One breach of a rule. */
export interface Complaint {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly fix: string;
  /** Other than the rule's own. */
  readonly severity?: LintSeverity;
  /** Whether the client of revision 2026-11 ignores the file because of it. */
  readonly isIgnored?: boolean;
  /** The position if there is no field to point at. */
  readonly place?: Position;
}

/** One of the sixteen rules. */
export interface LintRule {
  readonly id: LintRuleId;
  readonly severity: "error" | "warning";
  /** The statement that holds if the rule is kept. */
  readonly title: string;
  check(subject: LintSubject): readonly Complaint[];
}

/** The sixteen, in their order. */
export const lintRuleIds = [
  "V-AG-01",
  "V-AG-02",
  "V-AG-03",
  "V-AG-04",
  "V-AG-05",
  "V-AG-06",
  "V-AG-07",
  "V-AG-08",
  "V-AG-09",
  "V-AG-10",
  "V-AG-11",
  "V-AG-12",
  "V-AG-13",
  "V-AG-14",
  "V-AG-15",
  "V-AG-16",
] as const;
export type LintRuleId = (typeof lintRuleIds)[number];

/** The value of a field; null, which YAML makes of an empty one, counts as absent. */
export const given = (subject: LintSubject, key: string): unknown =>
  Object.hasOwn(subject.fields, key) ? (subject.fields[key] ?? undefined) : undefined;
