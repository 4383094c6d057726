import { join } from "node:path";
import { readGiven } from "../given-file.ts";

/** Sources of settings, from the weakest to the strongest. */
export const settingsSources = ["user", "project", "local", "flag", "managed"] as const;
export type SettingsSource = (typeof settingsSources)[number];

/** One text of settings, and where it stands. */
export interface SettingsText {
  readonly source: SettingsSource;
  /** For messages; what a command line says has a name of its own, such as `--settings`. */
  readonly file: string;
  /** The directory that `/path` in its rules begins with. */
  readonly base: string;
  /** Undefined: there is no such file. */
  readonly text: string | Uint8Array | undefined;
  /** Why there is no text, although there is something. */
  readonly fault?: string;
}

export interface SettingsPlaces {
  /** The agents' own directory, `~/.claude` for the reference client. */
  readonly root: string;
  /** The folder somebody works in. */
  readonly project: string;
  /** The file of the owner of the machine. */
  readonly managed?: string | undefined;
  /** Settings from the command line, as JSON. */
  readonly flag?: string | undefined;
}

/** Reads every file that can hold settings. */
export function readSettings({ root, project, managed, flag }: SettingsPlaces): readonly SettingsText[] {
  const folder = join(project, ".claude");
  return [
    ...(managed === undefined ? [] : [textAt("managed", managed, project)]),
    ...(flag === undefined ? [] : [{ source: "flag", file: "--settings", base: project, text: flag } as const]),
    textAt("local", join(folder, "settings.local.json"), project),
    textAt("project", join(folder, "settings.json"), project),
    textAt("project", join(project, ".mcp.json"), project),
    textAt("user", join(root, "settings.json"), root),
  ];
}

const maxBytes = 4 * 1024 * 1024;

function textAt(source: SettingsSource, file: string, base: string): SettingsText {
  const given = readGiven(file, maxBytes);
  const found = { source, file, base, text: "bytes" in given ? given.bytes : undefined };
  return "bytes" in given || given.isAbsent ? found : { ...found, fault: given.fault };
}
