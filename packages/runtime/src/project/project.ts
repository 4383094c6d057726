import { join } from "node:path";
import type { PermissionMode } from "@troupe/protocol";
import { grantedBy } from "../permissions/from-settings.ts";
import { ruleOn } from "../permissions/judge-path.ts";
import { modeWithin } from "../permissions/modes.ts";
import { readRules } from "../permissions/rule.ts";
import type { Granted, SettingsFiles } from "../permissions/update.ts";
import { type Instruction, readInstructions } from "../prompt/instructions.ts";
import type { Settings } from "../settings/load.ts";
import { settingsOf } from "../settings/of-folder.ts";
import { loadSkills } from "../skills/load.ts";
import type { Skill } from "../skills/skill.ts";
import type { Workspaces } from "../workspace.ts";
import { agentNamed, type DefinitionPlaces, type KnownAgent, loadDefinitions } from "./definitions.ts";

/** The folder that agents work in, and what is said of it besides what stands in it. */
export interface ProjectSources {
  /** Where the agent works. */
  readonly cwd: string;
  readonly gitBranch?: string | undefined;
  readonly managedSettings?: string | undefined;
  readonly flagSettings?: string | undefined;
  /** Where agents are defined besides the project and the user's own directory. */
  readonly definitions?: Pick<DefinitionPlaces, "managed" | "flag" | "plugins" | "builtIns"> | undefined;
  /** The directory of the skills of this machine's owner. */
  readonly managedSkills?: string | undefined;
  /** Skills besides those of the project and the user, which they replace. */
  readonly skills?: readonly Skill[] | undefined;
  /** Makes worktrees for agents that ask for one, such as `@troupe/backends/worktree`. */
  readonly workspaces?: Workspaces | undefined;
}

export interface ProjectDeps extends ProjectSources, Pick<DefinitionPlaces, "root" | "revision"> {
  readonly home: string;
  /** The mode where settings name none; without it, that of the definition, which widens none. */
  readonly mode?: PermissionMode | undefined;
  /** It works in a team that it was started for, in the mode that its lead says. */
  readonly isMember?: boolean | undefined;
  /** The definition that the main conversation works by. */
  readonly agentType?: string | undefined;
}

/** Settings, rules and definitions of a folder and its user. */
export interface Project {
  readonly settings: Settings;
  /** Reads them again: a person may change them while a session runs. */
  readonly settingsNow: () => Settings;
  readonly granted: Granted;
  /** Where answers that last are written. */
  readonly files: SettingsFiles;
  /** The names of the servers that are configured. */
  readonly servers: readonly string[];
  readonly instructions: readonly Instruction[];
  readonly agents: readonly KnownAgent[];
  /** That of the main conversation. */
  readonly definition: KnownAgent | undefined;
  readonly skills: readonly Skill[];
  /** Problems in any of it, each with its file. */
  readonly problems: readonly string[];
}

/**
 * Reads it all once; what a folder says that would run or allow something counts only where it is
 * trusted.
 */
export function readProject(deps: ProjectDeps): Project {
  const { root, cwd, home, mode, revision, managedSettings: managed, flagSettings: flag } = deps;
  const places = { root, cwd, managed, flag };
  const { isTrusted, ...loaded } = settingsOf(places);
  const settled = grantedBy(loaded, { project: cwd, home, mode: mode ?? "default" });
  const { rules } = readRules(settled.rules, { cwd, home });
  const mayRead = (path: string) => !ruleOn({ rules }, "deny", { access: "read", path });
  const { instructions, problems } = readInstructions({ root, home, top: cwd, cwd, mayRead });
  const { agents, problems: faults } = loadDefinitions({ ...deps.definitions, root, cwd, isTrusted, revision });
  const { agentType } = deps;
  const definition = agentType === undefined ? undefined : agentNamed(agents, agentType);
  const own = mode === undefined && !deps.isMember ? definition?.permissionMode : undefined;
  const { defaultMode: named } = loaded.settings.permissions;
  const granted = own ? { ...settled, mode: named ? modeWithin(own, named) : own } : settled;
  const { plugins } = deps.definitions ?? {};
  const given = deps.skills ?? [];
  const { skills: found, problems: unusable } = loadSkills({
    root,
    cwd,
    isTrusted,
    revision,
    plugins,
    managed: deps.managedSkills,
  });
  return {
    settings: loaded.settings,
    settingsNow: () => settingsOf(places).settings,
    granted,
    files: new Map([
      ["userSettings", join(root, "settings.json")],
      ["projectSettings", join(cwd, ".claude/settings.json")],
      ["localSettings", join(cwd, ".claude/settings.local.json")],
    ]),
    servers: Object.keys(loaded.settings.mcpServers ?? {}),
    instructions,
    agents,
    definition,
    skills: [...given, ...found.filter(({ name }) => !given.some((one) => one.name === name))],
    problems: [
      ...(agentType === undefined || definition
        ? []
        : [`there is no agent of the type ${JSON.stringify(agentType)} here`]),
      ...loaded.problems.map(({ file, path, message }) => `${file}${path}: ${message}`),
      ...problems.map(({ path, message }) => `${path}: ${message}`),
      ...[...faults, ...unusable].map(
        ({ file, line, message }) => `${file}${line === undefined ? "" : `:${line}`}: ${message}`,
      ),
    ],
  };
}
