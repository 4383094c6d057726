import { join, resolve } from "node:path";
import type { PermissionMode } from "@troupe/protocol";
import type { LoadedSettings } from "../settings/load.ts";
import type { RuleText } from "./rule.ts";
import type { Granted } from "./update.ts";

/** The permissions that settings grant: where they name no mode, the given one. */
export function grantedBy(
  { settings, origins }: LoadedSettings,
  { project, home, mode }: { readonly project: string; readonly home: string; readonly mode: PermissionMode },
): Granted {
  const { permissions } = settings;
  const rules = (["deny", "ask", "allow"] as const).flatMap((behavior) =>
    (permissions[behavior] ?? []).map((text, index): RuleText => {
      const { source = "user", base = project } = origins.get(`/permissions/${behavior}/${index}`) ?? {};
      return { behavior, text, source, base };
    }),
  );
  const directories = (permissions.additionalDirectories ?? []).map((directory) =>
    directory.startsWith("~/") ? join(home, directory.slice(2)) : resolve(project, directory),
  );
  return { mode: permissions.defaultMode ?? mode, rules, directories };
}
