import { TroupeError } from "./errors.ts";
import { makeAgentId } from "./ids.ts";
import { isAgentName, isTeamName } from "./names.ts";
import { PermissionMode, permissionModes } from "./permissions.ts";
import type { Problem } from "./problems.ts";
import type { Revision } from "./revisions/revision.ts";
import { splitToolList } from "./tool-rules.ts";

/**
 * The identity and permissions of a teammate's process. All of it is in argv, none in the
 * environment.
 */
export interface TeammateArgs {
  readonly agentName: string;
  readonly teamName: string;
  readonly agentColor: string;
  /** The session of the lead. */
  readonly parentSessionId: string;
  readonly agentType: string;
  readonly model: string;
  /** It starts in plan mode and leaves it by the lead's approval only. */
  readonly planModeRequired: boolean;
  /** Undefined: what the process does without being told. */
  readonly permissionMode?: PermissionMode;
  /** Rules for calls that need no question. */
  readonly allowedTools?: readonly string[];
  /** Rules for calls that are refused. */
  readonly disallowedTools?: readonly string[];
  /** The built-in tools it has. */
  readonly tools?: readonly string[];
  /**
   * By which the process checks the lead's signatures. A lead that cannot sign must not pass one.
   */
  readonly leadVerifyKey?: string;
  /** Everything else that stood on the command line, in its order. */
  readonly rest: readonly string[];
}

/** One flag of a teammate's command line. */
export interface TeammateFlag {
  readonly flag: string;
  readonly aliases: readonly string[];
  readonly takes: "value" | "list" | "nothing";
  /** Not shown in help: only a lead uses it. */
  readonly isHidden: boolean;
}

const internal = (flag: string, takes: TeammateFlag["takes"] = "value"): TeammateFlag => ({
  flag,
  aliases: [],
  takes,
  isHidden: true,
});
const general = (flag: string, takes: TeammateFlag["takes"], ...aliases: string[]): TeammateFlag => ({
  flag,
  aliases,
  takes,
  isHidden: false,
});

/** The flags that identify the process; a leading session has none of them. */
const identityFlags = [
  internal("--agent-id"),
  internal("--agent-name"),
  internal("--team-name"),
  internal("--agent-color"),
  internal("--parent-session-id"),
  internal("--agent-type"),
];

/** Every flag that a teammate's command line is read for. */
export const teammateFlags: readonly TeammateFlag[] = [
  ...identityFlags,
  internal("--lead-verify-key"),
  internal("--plan-mode-required", "nothing"),
  general("--dangerously-skip-permissions", "nothing"),
  general("--permission-mode", "value"),
  general("--model", "value"),
  general("--allowedTools", "list", "--allowed-tools"),
  general("--disallowedTools", "list", "--disallowed-tools"),
  general("--tools", "list"),
];

const flagByName: ReadonlyMap<string, TeammateFlag> = new Map(
  teammateFlags.flatMap((known) => [known.flag, ...known.aliases].map((name) => [name, known])),
);

/** The start mode of a teammate. `planModeRequired` is also in its entry, the mode only in argv. */
export type SpawnFlags = Pick<TeammateArgs, "planModeRequired" | "permissionMode">;

/**
 * The permission mode of a spawn. In 2026-02 the call's mode decides, and without one only the
 * lead's bypass is inherited; in 2026-11 the lead's mode decides alone. Whether the call may ask
 * for that mode is for the spawning code to decide.
 */
export function spawnFlags(revision: Revision, mode: PermissionMode | undefined, leadMode: PermissionMode): SpawnFlags {
  if (revision === "2026-11") return { planModeRequired: leadMode === "plan", permissionMode: leadMode };
  const inherited: SpawnFlags = {
    planModeRequired: mode === "plan",
    ...(leadMode === "bypassPermissions" && { permissionMode: leadMode }),
  };
  if (mode === undefined || mode === "plan") return inherited;
  return { planModeRequired: false, permissionMode: mode === "delegate" ? "acceptEdits" : mode };
}

/**
 * The arguments of a teammate's process, in the order of the revision. Pass them without a shell.
 */
export function buildTeammateArgs(revision: Revision, args: TeammateArgs): string[] {
  if (args.permissionMode && !permissionModes[revision].includes(args.permissionMode)) {
    const message = `${args.permissionMode} is no permission mode of ${revision}: use ${permissionModes[revision].join(", ")}`;
    throw new TroupeError("arguments_invalid", message, { permissionMode: args.permissionMode });
  }
  const type = option("--agent-type", args.agentType);
  const plan = args.planModeRequired ? ["--plan-mode-required"] : [];
  const permission = permissionOption(args.permissionMode);
  return [
    ...option("--agent-id", makeAgentId(args.agentName, args.teamName)),
    ...option("--agent-name", args.agentName),
    ...option("--team-name", args.teamName),
    ...option("--agent-color", args.agentColor),
    ...option("--parent-session-id", args.parentSessionId),
    ...(revision === "2026-02"
      ? [...type, ...plan, ...permission]
      : [...option("--lead-verify-key", args.leadVerifyKey), ...plan, ...type, ...permission]),
    ...option("--model", args.model),
    ...listOption("--allowedTools", args.allowedTools, " "),
    ...listOption("--disallowedTools", args.disallowedTools, " "),
    ...listOption("--tools", args.tools, ","),
    ...args.rest,
  ];
}

/** Reads a command line. Without `args` and without problems it is not that of a teammate. */
export function parseTeammateArgs(argv: readonly string[]): { args?: TeammateArgs; problems: Problem[] } {
  const { values, places, rest, problems } = readFlags(argv);
  if (!identityFlags.some(({ flag }) => values.has(flag))) return { problems };

  const need = (flag: string): string => {
    const value = values.get(flag);
    if (value === undefined && !places.has(flag)) problems.push(missing(flag, ""));
    return value ?? "";
  };
  const agentId = need("--agent-id");
  const agentName = need("--agent-name");
  const teamName = need("--team-name");
  const identity = {
    agentName,
    teamName,
    agentColor: need("--agent-color"),
    parentSessionId: need("--parent-session-id"),
    agentType: need("--agent-type"),
    model: need("--model"),
  };
  const invalid = (flag: string, wanted: string) =>
    problems.push({
      path: `/${places.get(flag)}`,
      code: "field_invalid",
      message: `${flag} is ${JSON.stringify(values.get(flag))}, not ${wanted}`,
      fix: `make ${flag} ${wanted}`,
    });
  if (agentName !== "" && !isAgentName(agentName)) invalid("--agent-name", "an agent name");
  if (teamName !== "" && !isTeamName(teamName)) invalid("--team-name", "a team name");
  if (agentId !== "" && agentName !== "" && teamName !== "" && agentId !== `${agentName}@${teamName}`) {
    const fix = `make --agent-id ${agentName}@${teamName}`;
    const message = `--agent-id ${agentId} is not that of ${agentName} in ${teamName}`;
    problems.push({ path: `/${places.get("--agent-id")}`, code: "id_mismatched", message, fix });
  }
  const skips = values.has("--dangerously-skip-permissions");
  const mode = PermissionMode.optional().safeParse(skips ? "bypassPermissions" : values.get("--permission-mode"));
  if (!mode.success) invalid("--permission-mode", PermissionMode.options.join(" or "));
  if (problems.length > 0 || !mode.success) return { problems };

  const list = (flag: string): string[] | undefined => {
    const text = values.get(flag);
    return text === undefined ? undefined : splitToolList(text);
  };
  const allowedTools = list("--allowedTools");
  const disallowedTools = list("--disallowedTools");
  const tools = list("--tools");
  const leadVerifyKey = values.get("--lead-verify-key");
  return {
    args: {
      ...identity,
      planModeRequired: values.has("--plan-mode-required"),
      ...(mode.data !== undefined && { permissionMode: mode.data }),
      ...(allowedTools !== undefined && { allowedTools }),
      ...(disallowedTools !== undefined && { disallowedTools }),
      ...(tools !== undefined && { tools }),
      ...(leadVerifyKey !== undefined && { leadVerifyKey }),
      rest,
    },
    problems: [],
  };
}

/**
 * Known flags with values and positions in argv, where a later one wins, and all other arguments.
 */
function readFlags(argv: readonly string[]) {
  const values = new Map<string, string>();
  const places = new Map<string, number>();
  const rest: string[] = [];
  const problems: Problem[] = [];
  for (let at = 0; at < argv.length; at++) {
    const token = argv[at] ?? "";
    if (token === "--") {
      rest.push(...argv.slice(at));
      break;
    }
    const [name = "", attached] = cutOnce(token, "=");
    const known = flagByName.get(name);
    if (!known) {
      rest.push(token);
      continue;
    }
    places.set(known.flag, at);
    if (known.takes === "nothing") {
      if (attached === undefined) values.set(known.flag, "");
      else
        problems.push({
          path: `/${at}`,
          code: "field_invalid",
          message: `${name} takes no value`,
          fix: `write ${name} alone`,
        });
      continue;
    }
    const next = argv[at + 1];
    const value = attached ?? (next === undefined || next.startsWith("-") ? undefined : next);
    if (value === undefined || (value === "" && known.takes === "value")) problems.push(missing(name, `/${at}`));
    else values.set(known.flag, value);
    if (attached === undefined && value !== undefined) at++;
  }
  return { values, places, rest, problems };
}

const missing = (flag: string, path: string): Problem => ({
  path,
  code: "field_missing",
  message: path === "" ? `${flag} is missing` : `${flag} has no value`,
  fix: `add ${path === "" ? `${flag} and its value` : `the value of ${flag}`}`,
});

function option(flag: string, value: string | undefined): string[] {
  if (value === undefined) return [];
  if (value === "" || value.includes("\0")) {
    throw new TroupeError("arguments_invalid", `${flag} cannot be ${JSON.stringify(value)}`, { flag, value });
  }
  return attach(flag, value);
}

function listOption(flag: string, items: readonly string[] | undefined, separator: string): string[] {
  if (items === undefined) return [];
  const text = items.join(separator);
  const read = splitToolList(text);
  if (read.length === items.length && read.every((item, index) => item === items[index])) return attach(flag, text);
  throw new TroupeError("arguments_invalid", `${flag} cannot hold ${JSON.stringify(items)} as a list`, { flag, items });
}

/** A value that looks like a flag is attached with `=`, so that it is not read as one. */
const attach = (flag: string, value: string): string[] =>
  value.startsWith("-") ? [`${flag}=${value}`] : [flag, value];

const permissionOption = (mode: PermissionMode | undefined): string[] =>
  mode === "bypassPermissions" ? ["--dangerously-skip-permissions"] : option("--permission-mode", mode);

function cutOnce(text: string, separator: string): [string, string?] {
  const at = text.startsWith("--") ? text.indexOf(separator) : -1;
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
