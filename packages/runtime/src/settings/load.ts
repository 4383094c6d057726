import { isObject, type PermissionMode, pointer, readJson } from "@troupe/protocol";
import { type HooksConfig, readHooks } from "@troupe/protocol/hooks";
import type { PlanPolicy } from "@troupe/team";
import { z } from "zod";
import type { WorkspaceChoice } from "../workspace.ts";
import { type Key, settingsKeys, settingsObjects, unknownKey } from "./keys.ts";
import { type SettingsSource, type SettingsText, settingsSources } from "./source.ts";

/** The settings in force, from whatever source. */
export interface Settings {
  readonly permissions: {
    readonly allow?: readonly string[];
    readonly ask?: readonly string[];
    readonly deny?: readonly string[];
    readonly additionalDirectories?: readonly string[];
    readonly defaultMode?: PermissionMode;
    readonly disableBypassPermissionsMode?: "disable";
  };
  readonly env?: Readonly<Record<string, string>>;
  readonly hooks?: HooksConfig;
  /** Where teammates run, as a display mode. */
  readonly teammateMode?: string;
  /** Who approves the plans of teammates. */
  readonly planApproval?: PlanPolicy;
  /** What each teammate may come to: `maxTurns`, `maxTokens`, `maxCost` in US dollars. */
  readonly teammateCaps?: Readonly<Record<string, number>>;
  /** When a member hears its mail: at the end of its turn, or between two rounds as well. */
  readonly deliverAt?: "turn" | "boundary";
  readonly worktree?: WorkspaceChoice;
  readonly mcpServers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly [key: string]: unknown;
}

/** The source of a setting. */
interface Origin {
  readonly source: SettingsSource;
  readonly file: string;
  readonly base: string;
}

interface SettingsProblem {
  readonly file: string;
  /** JSON Pointer to the value in question. */
  readonly path: string;
  readonly message: string;
  /** Nothing is lost: the value is kept, or not wanted here. */
  readonly isNote: boolean;
}

export interface LoadedSettings {
  readonly settings: Settings;
  /**
   * By JSON Pointer: of a value, of each key of `env` and `mcpServers`, and of each item of a list.
   */
  readonly origins: ReadonlyMap<string, Origin>;
  readonly problems: readonly SettingsProblem[];
}

export interface LoadSettings {
  readonly texts: readonly SettingsText[];
  /** The person has said that the folder may run commands. */
  readonly isTrusted: boolean;
}

interface Said {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly key: Key;
  readonly origin: Origin;
}

/**
 * Merges settings. It never throws: what is not sound is left out and is a problem that names its
 * file.
 */
export function loadSettings({ texts, isTrusted }: LoadSettings): LoadedSettings {
  const problems: SettingsProblem[] = [];
  const strength = (source: SettingsSource) => -settingsSources.indexOf(source);
  const ordered = [...texts].sort((one, other) => strength(one.source) - strength(other.source));
  const said = ordered.flatMap(sayings).filter(isHeard);
  return { ...merged(said), problems };

  function report({ file }: Origin, path: readonly string[], message: string, isNote = false): void {
    problems.push({ file, path: pointer(path), message, isNote });
  }

  function sayings({ text, fault, ...origin }: SettingsText): readonly Said[] {
    if (fault !== undefined) report(origin, [], `the settings cannot be read: ${fault}`);
    if (text === undefined) return [];
    const { value, problems: found } = readJson(text);
    for (const { path, message, fix } of found)
      problems.push({ file: origin.file, path, message: `${message}; ${fix}`, isNote: false });
    if (value === undefined) return [];
    if (isObject(value)) return keysOf(value, [], origin);
    report(origin, [], "settings must be an object");
    return [];
  }

  function keysOf(value: Readonly<Record<string, unknown>>, at: readonly string[], origin: Origin): readonly Said[] {
    return Object.entries(value).flatMap(([name, one]) => {
      const path = [...at, name];
      if (at.length === 0 && settingsObjects.has(name)) {
        if (isObject(one)) return keysOf(one, path, origin);
        report(origin, path, `${name} must be an object`);
        return [];
      }
      // A key with a dot of its own is none of the table.
      const known = name.includes(".") ? "" : path.join(".");
      const key = Object.hasOwn(settingsKeys, known) ? settingsKeys[known] : undefined;
      if (!key) report(origin, path, "this key is unknown and has no effect", true);
      return items({ path, value: one, key: key ?? unknownKey, origin });
    });
  }

  /** The items of a list and of an object as sayings of their own. */
  function items(one: Said): readonly Said[] {
    const { path, value, key, origin } = one;
    const isSound = ({ path: place, value: found }: Said): boolean => {
      const { error } = key.schema.safeParse(found);
      if (error) report(origin, place, `${z.prettifyError(error)}; it is left out`);
      return !error;
    };
    if (key.merge === "highest") return isSound(one) ? [one] : [];
    if (key.merge === "by event") {
      const { hooks, problems: found } = readHooks(value, path);
      for (const { path: place, message, fix } of found)
        problems.push({ file: origin.file, path: place, message: `${message}; ${fix}`, isNote: false });
      return Object.entries(hooks).flatMap(([event, groups]) =>
        groups.map((group) => ({ ...one, path: [...path, event], value: group })),
      );
    }
    if (key.merge === "union" ? !Array.isArray(value) : !isObject(value)) {
      report(origin, path, `it must be ${key.merge === "union" ? "a list" : "an object"}, so it is left out`);
      return [];
    }
    const parts = Object.entries(value as object).map(([name, part]) => ({
      ...one,
      path: [...path, name],
      value: part,
    }));
    const sound = parts.filter(isSound);
    return key.merge === "union" ? sound.map((part) => ({ ...part, path })) : sound;
  }

  function isHeard({ path, key, origin }: Said): boolean {
    if (origin.source !== "project" && origin.source !== "local") return true;
    if (key.folder === "stricter" || (key.folder === "trusted" && isTrusted)) return true;
    const why =
      key.folder === "never"
        ? "a folder cannot set this, only its user can"
        : "the folder is not trusted; trust it first";
    const told = pointer(path);
    if (
      !problems.some(
        ({ file, path: place, message }) => file === origin.file && place === told && message.endsWith(why),
      )
    ) {
      report(origin, path, `it is ignored: ${why}`);
    }
    return false;
  }
}

/** One document of what was said, the strongest first. */
function merged(said: readonly Said[]): Pick<LoadedSettings, "settings" | "origins"> {
  const origins = new Map<string, Origin>();
  const values = new Map<string, { readonly path: readonly string[]; value: unknown }>();
  for (const { path, value, key, origin } of said) {
    const place = pointer(path);
    const isList = key.merge === "union" || key.merge === "by event";
    const before = values.get(place);
    if (!isList) {
      if (before) continue;
      values.set(place, { path, value });
      origins.set(place, origin);
      continue;
    }
    const list = (before?.value ?? []) as unknown[];
    if (key.merge === "union" && list.includes(value)) continue;
    origins.set(pointer([...path, list.length]), origin);
    values.set(place, { path, value: [...list, value] });
  }
  const settings = nested([...values.values()].map(({ path, value }) => [path, value]));
  return { settings: { permissions: {}, ...settings }, origins };
}

/** Keys are made own properties, so that one called __proto__ stays an ordinary key. */
function nested(entries: readonly (readonly [readonly string[], unknown])[]): Readonly<Record<string, unknown>> {
  const names = [...new Set(entries.map(([path]) => path[0] ?? ""))];
  return Object.fromEntries(
    names.map((name) => {
      const inside = entries.filter(([path]) => path[0] === name);
      const whole = inside.find(([path]) => path.length === 1);
      return [name, whole ? whole[1] : nested(inside.map(([path, value]) => [path.slice(1), value]))];
    }),
  );
}
