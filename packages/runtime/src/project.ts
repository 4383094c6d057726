import { join } from "node:path";
import type { PermissionMode } from "@troupe/protocol";
import { type DefinitionPlaces, type KnownAgent, loadDefinitions } from "./agents/definitions.ts";
import { grantedBy } from "./permissions/from-settings.ts";
import type { Granted, SettingsFiles } from "./permissions/update.ts";
import { type Instruction, readInstructions } from "./prompt/instructions.ts";
import { loadSettings, type Settings } from "./settings/load.ts";
import { readSettings } from "./settings/source.ts";
import { openTrust } from "./settings/trust.ts";
import { loadSkills } from "./skills/load.ts";
import type { Skill } from "./tools/skill.ts";

export interface ProjectDeps extends Pick<DefinitionPlaces, "root" | "cwd" | "revision"> {
  readonly home: string;
  readonly managedSettings?: string | undefined;
  readonly flagSettings?: string | undefined;
  /** Where agents are defined besides the project and the user's own directory. */
  readonly definitions?: Pick<DefinitionPlaces, "managed" | "flag" | "plugins" | "builtIns"> | undefined;
  /** The directory of the skills of this machine's owner. */
  readonly managedSkills?: string | undefined;
  /** The mode where settings name none. */
  readonly mode: PermissionMode;
}

/** What a folder and its user say about how agents work there. */
export interface Project {
  readonly settings: Settings;
  readonly granted: Granted;
  /** Where answers that last are written. */
  readonly files: SettingsFiles;
  /** The names of the servers that are configured. */
  readonly servers: readonly string[];
  readonly instructions: readonly Instruction[];
  readonly agents: readonly KnownAgent[];
  readonly skills: readonly Skill[];
  /** What is wrong with any of it, each with its file. */
  readonly problems: readonly string[];
}

/** Reads it all once; what a folder says that would run or allow something counts only where it is trusted. */
export function readProject(deps: ProjectDeps): Project {
  const { root, cwd, home, mode, revision, managedSettings: managed, flagSettings: flag } = deps;
  const isTrusted = openTrust(root).isTrusted(cwd);
  const texts = readSettings({
    root,
    project: cwd,
    ...(managed !== undefined && { managed }),
    ...(flag !== undefined && { flag }),
  });
  const loaded = loadSettings({ texts, isTrusted });
  const { instructions, problems } = readInstructions({ root, home, top: cwd, cwd });
  const { agents, problems: faults } = loadDefinitions({ ...deps.definitions, root, cwd, isTrusted, revision });
  const { plugins } = deps.definitions ?? {};
  const { skills, problems: unusable } = loadSkills({
    ...{ root, cwd, isTrusted, revision },
    ...(plugins && { plugins }),
    ...(deps.managedSkills !== undefined && { managed: deps.managedSkills }),
  });
  return {
    settings: loaded.settings,
    granted: grantedBy(loaded, { project: cwd, home, mode }),
    files: new Map([
      ["userSettings", join(root, "settings.json")],
      ["projectSettings", join(cwd, ".claude/settings.json")],
      ["localSettings", join(cwd, ".claude/settings.local.json")],
    ]),
    servers: Object.keys(loaded.settings.mcpServers ?? {}),
    instructions,
    agents,
    skills,
    problems: [
      ...loaded.problems.map(({ file, path, message }) => `${file}${path}: ${message}`),
      ...problems.map(({ path, message }) => `${path}: ${message}`),
      ...[...faults, ...unusable].map(
        ({ file, line, message }) => `${file}${line === undefined ? "" : `:${line}`}: ${message}`,
      ),
    ],
  };
}
