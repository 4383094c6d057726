import type { Confinement } from "../confinement/confinement.ts";
import type { Mcp, McpDeps } from "../mcp/mcp.ts";

/** The computer that a session works on. */
export interface Machine {
  /** The agents' own directory, `~/.claude` for the reference client. */
  readonly root: string;
  readonly home: string;
  /** That of this process, unless it is said. */
  readonly platform?: NodeJS.Platform | undefined;
  /** Where long output is kept. */
  readonly temporary: string;
  /** The environment of shells and hooks. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * The result of `findConfinement`: commands that pass without a rule run in it. Without one they
   * run as all do.
   */
  readonly confinement?: Confinement | undefined;
  /** `openMcp` of `@troupe/runtime/mcp`; without it no servers are reached. */
  readonly openMcp?: ((deps: McpDeps) => Mcp) | undefined;
  /**
   * A directory of Troupe's own, such as `<root>/troupe`, for debug logs, what hooks set for
   * commands, and what commands find of the person's shell; without one there is none.
   */
  readonly own?: string | undefined;
  /** The clock; the system's, unless it is said. */
  readonly now?: (() => Date) | undefined;
  readonly newId?: (() => string) | undefined;
}
