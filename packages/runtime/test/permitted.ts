import { askNobody } from "@troupe/team";
import type { PendingCall, Reach, Tool } from "../src/loop/tool.ts";
import { createPermissions, type Permissions, type PermissionsDeps } from "../src/permissions/permissions.ts";
import type { Behavior, RuleText } from "../src/permissions/rule.ts";

/** A rule that a person wrote, whose paths begin where it stands. */
export const ruleBelow =
  (base: string) =>
  (behavior: Behavior, text: string, source = "user"): RuleText => ({ behavior, text, source, base });

/** Permissions that grant nothing and ask nobody, but for what is said. */
export const permitted = (cwd: string, home: string, more: Partial<PermissionsDeps> = {}): Permissions =>
  createPermissions({
    cwd,
    home,
    mode: "default",
    rules: [],
    directories: [],
    isBypassAvailable: true,
    ask: askNobody,
    timeoutMs: 60_000,
    newId: () => "question",
    ...more,
  });

/** A call of a tool that does nothing and reaches what is said. */
export function callOf(name: string, input: unknown, reaches?: (input: unknown) => readonly Reach[]): PendingCall {
  const tool: Tool = {
    definition: { name, description: "", input_schema: {} },
    isReplayable: false,
    isConcurrent: () => false,
    run: async () => ({ content: [] }),
    ...(reaches && { reaches }),
  };
  return { id: "call", tool, input };
}

/** What it reaches is what its input says, also after somebody changed that. */
export const bashCall = (command: string): PendingCall =>
  callOf("Bash", { command }, (input) => [{ kind: "command", ...(input as { command: string }) }]);
