import {
  buildTeammateArgs,
  type Color,
  colorOf,
  type PermissionMode,
  spawnFlags,
  type TeammateArgs,
  TroupeError,
} from "@troupe/protocol";
import type { Backend } from "@troupe/team";

/** What a backend is asked to start. */
export type SpawnSpec = Parameters<Backend["spawn"]>[0];

/** The program that runs a teammate; its environment is exactly the given one. */
export interface Launch {
  /** An absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** What every backend that starts processes needs. */
export interface BackendDeps {
  /** Names the program: `troupeTeammate(...)`, `claudeTeammate(...)`. */
  launch(spec: SpawnSpec): Launch;
  /** Resolves when the teammate has said that it is at work. */
  ready(spec: SpawnSpec, signal: AbortSignal): Promise<void>;
  /** How long a teammate may take until it is at work; later, it is ended. */
  readonly readyMs: number;
  /** A directory of Troupe's own, such as `<root>/troupe/backends`. */
  readonly records: string;
  /** The process that leads, where that is not this one: what is started is its own then. */
  readonly lead?: { readonly pid: number; readonly startedAt: string } | undefined;
  /** Told of records that cannot be read and of what could not be ended. */
  warn(message: string): void;
}

/** The program of a teammate of ours or of another make. */
export interface TeammateProgram {
  /** An absolute path, and what stands before the flags of a teammate. */
  readonly command: readonly [file: string, ...args: string[]];
  /** Credentials among it: they are never arguments. What the spec says comes on top. */
  readonly environment: Readonly<Record<string, string>>;
  /** What the flags say besides the spec: tools, further arguments. */
  readonly more?: Partial<TeammateArgs> | undefined;
}

export interface TroupeProgram extends TeammateProgram {
  readonly root: string;
  /** The agent of others that it hosts, instead of one of ours. */
  readonly hosts?: string | undefined;
  /** A person sees what it writes, which is text then and otherwise lines of JSON. */
  readonly isSeen?: boolean | undefined;
}

/** `troupe teammate` on a root; `command` is `troupe`, or node and its main.js. */
export function troupeTeammate({ root, isSeen, hosts, ...program }: TroupeProgram) {
  return (spec: SpawnSpec): Launch => {
    const [file, ...before] = program.command;
    const args = [...before, "teammate", ...flagsOf(spec, program), "--root", root, ...(isSeen ? [] : ["--json"])];
    if (hosts !== undefined) args.push("--acp", hosts);
    return { file, args, environment: { ...program.environment, ...spec.environment } };
  };
}

/** The client of the reference, with the variables that it gives its own teammates. */
export function claudeTeammate(program: TeammateProgram) {
  return (spec: SpawnSpec): Launch => {
    const [file, ...before] = program.command;
    const fixed = {
      CLAUDECODE: "1",
      CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1",
      ...(spec.revision === "2026-02" && { CLAUDE_CODE_ENTRYPOINT: "cli" }),
    };
    const environment = { ...program.environment, ...spec.environment, ...fixed };
    return { file, args: [...before, ...flagsOf(spec, program)], environment };
  };
}

/** Throws `arguments_invalid` for what no program can be started with. */
export function assertLaunch({ file, args, environment }: Launch): void {
  if (!file.startsWith("/")) throw invalid("the program", file, "an absolute path");
  for (const text of [file, ...args]) if (text.includes("\0")) throw invalid("an argument", text, "free of NUL");
  for (const [name, value] of Object.entries(environment)) {
    // The value may be a credential: the message names the variable alone.
    if (!/^[^=\0]+$/.test(name) || value.includes("\0"))
      throw invalid("a variable", name, "a name without =, and a name and a value without NUL");
  }
}

function flagsOf(spec: SpawnSpec, { more }: TeammateProgram): readonly string[] {
  const { revision, name, team, color, leadSessionId, agentType, model, tools, disallowedTools } = spec;
  return buildTeammateArgs(revision, {
    agentName: name,
    teamName: team,
    agentColor: color ?? firstColor,
    parentSessionId: leadSessionId,
    agentType,
    model,
    ...startOf(spec),
    rest: [],
    ...(tools && { tools }),
    ...(disallowedTools && { disallowedTools }),
    ...more,
  });
}

const firstColor: Color = colorOf(0);

/** In 2026-02 a bypass goes along with a plan that is required, in 2026-11 `plan` is the mode. */
function startOf({ revision, mode, planModeRequired }: SpawnSpec) {
  const asked: PermissionMode = planModeRequired ? "plan" : mode;
  return spawnFlags(revision, asked, revision === "2026-11" ? asked : mode);
}

const invalid = (what: string, value: string, right: string): TroupeError =>
  new TroupeError("arguments_invalid", `${what} is ${JSON.stringify(value)}: make it ${right}`, { value });
