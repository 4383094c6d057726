import type { Observation, TeammateSpec } from "@troupe/team";
import type { SpawnSpec } from "../launch.ts";

/** The repository that a teammate works on, and where it begins. */
export interface Code {
  /** As `repositoryName` has it: no address, since each machine may have one of its own. */
  readonly repository: string;
  readonly commit: string;
}

/** What a lead asks a host for; it holds no variable of the lead, so no secret. */
export interface HostedSpec extends Omit<SpawnSpec, "environment" | "worktree"> {
  readonly code?: Code | undefined;
}

/** Where the commits of a teammate are, for all who reach its repository. */
export interface Work extends Code {
  readonly branch: string;
}

/** A teammate that hosts are asked for, as the store has it. */
export interface Asked {
  readonly id: string;
  readonly team: string;
  readonly member: string;
  /** A `HostedSpec`, as somebody wrote it. */
  readonly spec: object;
  /** `taken` until it is at work; `wanted` again where its host gave it back. */
  readonly state: "wanted" | "taken" | "running" | "ended";
  readonly host: string | null;
  /** Of its newest start; nothing of an earlier one is written any more. */
  readonly epoch: string | null;
  readonly starts: number;
  /** Whether the lease of its host lasts; null where none has it. */
  readonly isHeard: boolean | null;
  readonly heardMs: number | null;
  readonly stopMs: number | null;
  readonly reason: string | null;
  readonly detail: string | null;
  /** A `Work`, once it has committed something. */
  readonly result: object | null;
}

/** Hints that it is time to look. */
export interface Hints {
  next(signal?: AbortSignal): Promise<boolean>;
  end(): void;
}

export const specOf = ({ spec }: Asked): HostedSpec => spec as HostedSpec;
export const workOf = ({ result }: Pick<Asked, "result">): Work | undefined =>
  (result ?? undefined) as Work | undefined;

type Reason = Extract<Observation, { kind: "ended" }>["reason"];
const reasons: ReadonlySet<string> = new Set(["shutdown", "exit", "killed", "lost"] satisfies Reason[]);
/** How it ended, as its host says it. */
export const reasonOf = ({ reason }: Pick<Asked, "reason">): Reason =>
  reason !== null && reasons.has(reason) ? (reason as Reason) : "exit";

/** The labels that the host of a teammate has to have. */
export const labelsFor = ({ code }: Pick<HostedSpec, "code">, labels: readonly string[]): readonly string[] => [
  ...new Set([...labels, ...(code ? [repositoryLabel(code.repository)] : [])]),
];

export const repositoryLabel = (repository: string): string => `repo:${repository}`;

/** What tells a spec of this team from that of an earlier one of its name. */
export const isOf =
  ({ team, teamCreatedAt }: Pick<TeammateSpec, "team" | "teamCreatedAt">) =>
  (asked: Asked): boolean =>
    asked.team === team && specOf(asked).teamCreatedAt === teamCreatedAt;
