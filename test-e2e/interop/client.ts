import type { Revision } from "@troupe/protocol";

/** A published client in one version. */
export interface Client {
  readonly kind: keyof typeof makes;
  readonly version: string;
  readonly revision: Revision;
}

/** A client that can be started. */
export interface InstalledClient extends Client {
  readonly command: readonly [file: string, ...args: string[]];
}

export interface Make {
  readonly package: string;
  /** The version from which on it follows the later revision. */
  readonly laterFrom?: string;
  /** Where its program may lie below node_modules: a binary, or a script for Node. */
  readonly programs: readonly string[];
}

const platform = `${process.platform}-${process.arch}`;

export const makes = {
  "claude-code": {
    package: "@anthropic-ai/claude-code",
    laterFrom: "2.1.178",
    programs: [`@anthropic-ai/claude-code-${platform}/claude`, "@anthropic-ai/claude-code/cli.js"],
  },
  codebuddy: {
    package: "@tencent-ai/codebuddy-code",
    programs: ["@tencent-ai/codebuddy-code/bin/codebuddy"],
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
  const { laterFrom }: Make = makes[kind];
  return { kind, version, revision: laterFrom && !isBefore(version, laterFrom) ? "2026-11" : "2026-02" };
}

export const nameOf = ({ kind, version }: Pick<Client, "kind" | "version">): string => `${kind}@${version}`;

/** Versions are compared number by number. */
export const isBefore = (a: string, b: string): boolean => a.localeCompare(b, "en", { numeric: true }) < 0;
