import { type LoadedSettings, loadSettings } from "./load.ts";
import { readSettings } from "./source.ts";
import { openTrust } from "./trust.ts";

export interface SettingsPlaces {
  readonly root: string;
  readonly cwd: string;
  readonly managed?: string | undefined;
  readonly flag?: string | undefined;
}

/** The settings that hold in a folder: its own count as far as the person trusts it. */
export function settingsOf({ root, cwd, managed, flag }: SettingsPlaces): LoadedSettings & { isTrusted: boolean } {
  const isTrusted = openTrust(root).isTrusted(cwd);
  return { isTrusted, ...loadSettings({ texts: readSettings({ root, project: cwd, managed, flag }), isTrusted }) };
}
