import { HookGroup, type HooksConfig } from "../hooks/config.ts";
import { definitionHookEvents } from "../hooks/events.ts";
import { isObject } from "../json/is-object.ts";
import { problemsOf } from "../problems.ts";
import type { Revision } from "../revisions/revision.ts";
import { type FieldReader, kindOf } from "./field-reader.ts";

/** The hooks that run under this revision; the others stay in the definition and have no effect. */
export const hooksInForce = (
  definition: { readonly hooks?: HooksConfig | undefined },
  revision: Revision,
): HooksConfig =>
  Object.fromEntries(
    Object.entries(definition.hooks ?? {}).filter(([event]) => definitionHookEvents[revision].includes(event)),
  );

/** Reads `hooks`, keeping what is sound of them. */
export function readHooks(reader: FieldReader, revision: Revision): HooksConfig | undefined {
  const value = reader.value("hooks");
  if (value === undefined) return undefined;
  if (!isObject(value)) {
    reader.report(
      ["hooks"],
      `hooks is ${kindOf(value)}, not a map of events`,
      "write hooks:, below it an event, below that its matchers",
    );
    return undefined;
  }
  const events = Object.entries(value).map(([event, matchers]) => {
    if (!definitionHookEvents[revision].includes(event)) {
      reader.report(
        ["hooks", event],
        `hooks on ${event} do not run in revision ${revision}`,
        `use ${definitionHookEvents[revision].slice(0, 3).join(", ")}, or move the hook to settings.json`,
      );
    }
    const list: unknown[] = Array.isArray(matchers) ? matchers : [matchers];
    return [event, list.flatMap((entry, index) => readMatcher(reader, entry, ["hooks", event, index]))] as const;
  });
  return Object.fromEntries(events);
}

/** A hook without its matcher around it is taken for all tools. */
function readMatcher(reader: FieldReader, entry: unknown, path: readonly PropertyKey[]): HookGroup[] {
  const { matcher, ...hook } = isObject(entry) ? entry : {};
  const isBare = isObject(entry) && Object.hasOwn(entry, "type") && !Object.hasOwn(entry, "hooks");
  const group = isBare ? { ...(matcher !== undefined && { matcher }), hooks: [hook] } : entry;
  const read = HookGroup.safeParse(group);
  if (read.success) return [group as HookGroup];
  const [first] = problemsOf(read.error, entry, path);
  reader.report(path, `${first?.message}; the hook is not used`, first?.fix ?? "remove the hook");
  return [];
}
