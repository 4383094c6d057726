import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import {
  escapeProjectPath,
  isObject,
  layoutOf,
  type PermissionMode,
  parseToolRule,
  permissionModes,
  type Revision,
  splitToolList,
  TroupeError,
} from "@troupe/protocol";
import { agentNamed, loadDefinitions, openTrust } from "@troupe/runtime";
import type { Call } from "../command.ts";
import { sessionIdGiven } from "../open.ts";
import type { FlagSettings, SessionWish } from "./compose.ts";
import { definitionsGiven, type GivenDefinitions } from "./given-definitions.ts";
import { jsonGiven } from "./given-json.ts";
import type { RunOptions } from "./options.ts";
import { pastSessions } from "./past-sessions.ts";
import { codingRole } from "./role.ts";

export const defaultRevision: Revision = "2026-02";

export const wrong = (message: string): TroupeError => new TroupeError("arguments_invalid", message);

/** What options can say of a session. */
export type SessionParts = Pick<
  SessionWish,
  "model" | "role" | "sessionId" | "options" | "allowed" | "denied" | "settings" | "definitions"
>;

type Given = Pick<Call<object, RunOptions>, "root" | "cwd" | "options">;

/**
 * What the options say of the session, checked before it is opened. Files are looked for in the
 * folder of the call, sessions and definitions in the place where it works.
 */
export function wishOf(call: Given, place = call.cwd): SessionParts {
  const { options } = call;
  const { revision = defaultRevision, backend, agent, team } = options;
  if (team !== undefined && revision === "2026-11")
    throw wrong("--team needs --revision 2026-02: a session of 2026-11 leads a team of its own");
  const isBypassed = options["dangerously-skip-permissions"] ?? false;
  const maxTurns = positive("max-turns", options["max-turns"], Number.isSafeInteger);
  const definitions = definitionsGiven(call, revision);
  const role = options["append-system-prompt"];
  const given = agent === undefined ? undefined : definitionOf({ ...call, cwd: place }, agent, revision, definitions);
  return {
    model: options.model ?? (given?.model === "inherit" ? undefined : given?.model),
    role: role === undefined ? codingRole : `${codingRole}\n\n${role}`,
    sessionId: sessionOf({ ...call, cwd: place }),
    definitions,
    settings: settingsGiven(call),
    allowed: rulesGiven("allowed-tools", options["allowed-tools"]),
    denied: rulesGiven("disallowed-tools", options["disallowed-tools"]),
    options: {
      revision,
      agentType: given?.agentType,
      mode: isBypassed ? "bypassPermissions" : modeOf(options["permission-mode"], revision),
      isBypassAvailable: isBypassed,
      plans: options["plan-approval"],
      gates: {
        // An option for teammates asks for a team, also where only a person has one.
        ...(backend !== undefined && { hasOwnTeam: true }),
        areTeammatesPlanning: options["plan-mode-required"],
      },
      limits: maxTurns === undefined ? {} : { maxTurns },
    },
  };
}

/** A rule that cannot be read would allow or deny nothing, which nobody who types it wants. */
function rulesGiven(option: string, lists: readonly string[] = []): readonly string[] {
  return lists.flatMap((list) => {
    const rules = splitToolList(list);
    if (rules.length === 0) throw wrong(`--${option} needs a rule, such as "Bash(git:*)", not ${JSON.stringify(list)}`);
    assertRules(`--${option}`, rules);
    return rules;
  });
}

function assertRules(where: string, rules: readonly string[]): void {
  for (const { problem } of rules.map((rule) => parseToolRule(rule)))
    if (problem) throw wrong(`${where}: ${problem.message}; ${problem.fix}`);
}

/** A number above 0; undefined where the option was not given. */
export function positive(
  option: string,
  text: string | undefined,
  isRight: (value: number) => boolean,
): number | undefined {
  const value = text === undefined ? undefined : Number(text);
  if (value === undefined || (isRight(value) && value > 0)) return value;
  const kind = isRight(0.5) ? "number" : "whole number";
  throw wrong(`--${option} takes a ${kind} above 0, not ${JSON.stringify(text)}`);
}

function modeOf(name: string | undefined, revision: Revision): PermissionMode | undefined {
  const mode = permissionModes[revision].find((one) => one === name);
  if (name === undefined || (mode && mode !== "bypassPermissions")) return mode;
  if (mode) throw wrong("to bypass permissions, use --dangerously-skip-permissions");
  throw wrong(`--permission-mode takes ${permissionModes[revision].join(", ")}, not ${JSON.stringify(name)}`);
}

/** The session to resume, or the id of the new one; undefined for an id that nobody chose. */
function sessionOf(call: Given): string | undefined {
  const { resume, continue: last, "session-id": id } = call.options;
  const given = [
    ["--resume", resume],
    ["--continue", last],
    ["--session-id", id],
  ].filter(([, one]) => one !== undefined);
  if (given.length > 1) throw wrong(`${given.map(([name]) => name).join(" and ")} name two sessions: give one of them`);
  const exists = (one: string) =>
    existsSync(layoutOf(call.root).transcript(escapeProjectPath(call.cwd), one.toLowerCase()));
  if (last) {
    const [found] = pastSessions(call, 1);
    if (!found) throw wrong("there is no session in this folder to continue: leave out --continue");
    return found.id;
  }
  sessionIdGiven("session-id", id);
  if (id !== undefined && exists(id)) throw wrong(`the session ${id} exists: go on with it by --resume ${id}`);
  // An empty one asks a person at a screen which.
  if (resume && !exists(resume))
    throw wrong(
      `there is no session ${JSON.stringify(resume)} of this folder: troupe sessions lists those that there are`,
    );
  return id ?? resume;
}

/** What --settings, --add-dir and --mcp-config say together. */
function settingsGiven(call: Given): FlagSettings {
  const { options, cwd } = call;
  const settings = options.settings === undefined ? {} : jsonGiven(call, "settings", options.settings);
  const { permissions = {}, mcpServers = {} } = settings;
  if (!isObject(permissions)) throw wrong("--settings: permissions holds no object: write {...}");
  for (const key of ["allow", "ask", "deny"]) assertRules(`--settings: permissions.${key}`, listIn(permissions, key));
  const directories = (options["add-dir"] ?? []).map((given) => {
    const path = resolve(cwd, given);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
    throw wrong(`--add-dir ${given} is no directory`);
  });
  const servers = (options["mcp-config"] ?? []).map((given) => {
    const { mcpServers: found } = jsonGiven(call, "mcp-config", given);
    if (isObject(found)) return assertServers(found);
    throw wrong(`--mcp-config ${given.trimStart().startsWith("{") ? "" : `${given} `}has no object "mcpServers"`);
  });
  const additionalDirectories = listIn(permissions, "additionalDirectories");
  return {
    ...settings,
    permissions: { ...permissions, additionalDirectories: [...additionalDirectories, ...directories] },
    mcpServers: Object.assign({}, mcpServers, ...servers),
  };
}

/** A text in the place of a list would be taken letter by letter. */
function listIn(permissions: object, key: string): readonly string[] {
  const { [key]: list = [] } = permissions as Readonly<Record<string, unknown>>;
  if (Array.isArray(list) && list.every((one) => typeof one === "string")) return list;
  throw wrong(`--settings: permissions.${key} is no list of texts: write ["..."]`);
}

function assertServers(servers: object): object {
  for (const [name, server] of Object.entries(servers))
    if (!isObject(server)) throw wrong(`--mcp-config: mcpServers.${name} holds no object: write {...}`);
  return servers;
}

function definitionOf({ root, cwd }: Given, type: string, revision: Revision, given: GivenDefinitions) {
  const places = { root, cwd, isTrusted: openTrust(root).isTrusted(cwd), revision };
  const { agents } = loadDefinitions({ ...given, ...places });
  const found = agentNamed(agents, type);
  if (found) return found;
  const names = agents.map(({ agentType }) => agentType).join(", ");
  throw wrong(`--agent: there is no agent of the type ${JSON.stringify(type)}; there are ${names}`);
}
