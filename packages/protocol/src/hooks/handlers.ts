import type { HookHandler, HooksConfig } from "./config.ts";
import { matcherFields } from "./events.ts";
import type { HookInputCommon } from "./input-common.ts";
import { matches } from "./matcher.ts";

/**
 * The handlers to run for this event, in configuration order. Removing duplicates is the runner's
 * task.
 */
export function handlersFor(hooks: HooksConfig, input: HookInputCommon): HookHandler[] {
  const event = input.hook_event_name;
  const groups = Object.hasOwn(hooks, event) ? (hooks[event] ?? []) : [];
  const field = matcherFields.get(event);
  return groups
    .filter(({ matcher }) => field === undefined || matches(matcher, String(input[field] ?? "")))
    .flatMap((group) => group.hooks);
}
