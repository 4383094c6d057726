import type { Form, Revision } from "@troupe/protocol";

/** A published client in one version. */
export interface Client {
  readonly kind: keyof typeof makes;
  readonly version: string;
  /** What its calls and messages follow. */
  readonly revision: Revision;
  /** What its files follow. */
  readonly form: Form;
}

/** A client that can be started. */
export interface InstalledClient extends Client {
  readonly command: readonly [file: string, ...args: string[]];
}

export interface Make {
  readonly package: string;
  /** The version from which on it follows the later revision. */
  readonly laterFrom?: string;
  /** The version from which on its files are neither of one revision nor of the other. */
  readonly betweenFrom?: string;
  /** It draws on a terminal, and can be a teammate in one. */
  readonly hasScreen: boolean;
  /** Where its program may lie below node_modules: a binary, or a script for Node. */
  readonly programs: readonly string[];
}

const platform = `${process.platform}-${process.arch}`;

export const makes = {
  "claude-code": {
    package: "@anthropic-ai/claude-code",
    laterFrom: "2.1.178",
    betweenFrom: "2.1.147",
    hasScreen: true,
    programs: [`@anthropic-ai/claude-code-${platform}/claude`, "@anthropic-ai/claude-code/cli.js"],
  },
  // CodeBuddy Code without its screen lies inside its SDK, by whose version it is called here.
  codebuddy: {
    package: "@tencent-ai/agent-sdk",
    hasScreen: false,
    programs: ["@tencent-ai/agent-sdk/cli/bin/codebuddy"],
  },
} as const satisfies Record<string, Make>;

const isMake = (kind: string): kind is Client["kind"] => Object.hasOwn(makes, kind);

/** Reads `claude-code@2.1.41`; throws with what is possible. */
export function clientOf(word: string): Client {
  const [, kind = "", version = ""] = /^([a-z-]+)@(\d+\.\d+\.\d+)$/.exec(word) ?? [];
  if (!isMake(kind)) {
    const known = Object.keys(makes).join(" or ");
    throw new Error(`${JSON.stringify(word)} is no client: write ${known}, @ and a version, as in claude-code@2.1.41`);
  }
  const { laterFrom, betweenFrom }: Make = makes[kind];
  const isFrom = (first: string | undefined) => first !== undefined && !isBefore(version, first);
  const revision = isFrom(laterFrom) ? "2026-11" : "2026-02";
  return { kind, version, revision, form: revision === "2026-02" && isFrom(betweenFrom) ? "between" : revision };
}

export const nameOf = ({ kind, version }: Pick<Client, "kind" | "version">): string => `${kind}@${version}`;

/** Versions are compared number by number. */
export const isBefore = (a: string, b: string): boolean => a.localeCompare(b, "en", { numeric: true }) < 0;
