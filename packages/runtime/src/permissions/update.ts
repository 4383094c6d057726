import { dirname } from "node:path";
import { type KnownPermissionUpdate, PermissionMode, parseToolRule } from "@troupe/protocol";
import { type Behavior, type RuleText, ruleText } from "./rule.ts";
import type { WorkingMode } from "./ruling.ts";

/** The permissions of an agent, as data. */
export interface Granted {
  readonly mode: WorkingMode;
  readonly rules: readonly RuleText[];
  /** Besides the one it stands in. */
  readonly directories: readonly string[];
}

/** Under which source the rules of a destination are kept. */
const sources = new Map([
  ["userSettings", "user"],
  ["projectSettings", "project"],
  ["localSettings", "local"],
  ["cliArg", "flag"],
]);

/** The files that can be written to, by their destination. */
export type SettingsFiles = ReadonlyMap<string, string>;

/**
 * The directory that rules of a destination begin `/path` with: the project of
 * `.claude/settings.json`, the directory of the user's own file.
 */
function baseOf(destination: string, files: SettingsFiles, cwd: string): string {
  const file = files.get(destination);
  if (file === undefined) return cwd;
  return destination === "userSettings" ? dirname(file) : dirname(dirname(file));
}

const behaviors: readonly string[] = ["allow", "ask", "deny"] satisfies Behavior[];

/** Why an update is not taken, or undefined. */
export function faultOf(update: KnownPermissionUpdate, isBypassAvailable: boolean): string | undefined {
  if (update.type === "setMode") {
    if (!PermissionMode.safeParse(update.mode).success) return `there is no mode ${JSON.stringify(update.mode)}`;
    return update.mode === "bypassPermissions" && !isBypassAvailable
      ? "the user has not enabled bypassing permissions"
      : undefined;
  }
  if (update.type === "addDirectories" || update.type === "removeDirectories") {
    const relative = update.directories.find((directory) => !directory.startsWith("/"));
    return relative === undefined ? undefined : `${relative} is not an absolute path`;
  }
  if (!behaviors.includes(update.behavior))
    return `there is no behavior ${JSON.stringify(update.behavior)}: use allow, ask or deny`;
  return update.type === "removeRules"
    ? undefined
    : update.rules.map((rule) => parseToolRule(ruleText(rule)).problem?.message).find(Boolean);
}

/**
 * The permissions after an update. Rules of managed settings have no destination, so that nothing
 * takes them away.
 */
export function granted(now: Granted, update: KnownPermissionUpdate, files: SettingsFiles, cwd: string): Granted {
  switch (update.type) {
    case "setMode":
      return { ...now, mode: update.mode as PermissionMode };
    case "addDirectories":
      return { ...now, directories: [...new Set([...now.directories, ...update.directories])] };
    case "removeDirectories":
      return { ...now, directories: now.directories.filter((one) => !update.directories.includes(one)) };
    default: {
      const source = sources.get(update.destination) ?? "session";
      const base = baseOf(update.destination, files, cwd);
      const isMeant = (rule: RuleText) => rule.source === source && rule.behavior === update.behavior;
      const texts = update.rules.map(ruleText);
      const isTaken = (rule: RuleText) =>
        isMeant(rule) && (update.type === "replaceRules" || texts.includes(rule.text));
      const added = texts.map((text) => ({ behavior: update.behavior as Behavior, text, source, base }));
      return {
        ...now,
        rules: [...now.rules.filter((rule) => !isTaken(rule)), ...(update.type === "removeRules" ? [] : added)],
      };
    }
  }
}

/** The `permissions` of a settings file after an update. */
export function permissionsAfter(permissions: Readonly<Record<string, unknown>>, update: KnownPermissionUpdate) {
  const listOf = (key: string): readonly unknown[] => {
    const list = Object.hasOwn(permissions, key) ? permissions[key] : [];
    return Array.isArray(list) ? list : [];
  };
  const changed = (key: string, wanted: readonly string[], type: "add" | "replace" | "remove") => {
    const kept = type === "replace" ? [] : listOf(key).filter((one) => !wanted.some((text) => text === one));
    return { ...permissions, [key]: type === "remove" ? kept : [...kept, ...wanted] };
  };
  switch (update.type) {
    case "setMode":
      return { ...permissions, defaultMode: update.mode };
    case "addDirectories":
      return changed("additionalDirectories", update.directories, "add");
    case "removeDirectories":
      return changed("additionalDirectories", update.directories, "remove");
    case "addRules":
      return changed(update.behavior, update.rules.map(ruleText), "add");
    case "replaceRules":
      return changed(update.behavior, update.rules.map(ruleText), "replace");
    case "removeRules":
      return changed(update.behavior, update.rules.map(ruleText), "remove");
  }
}
