import { definitionHookEvents } from "../../hooks/events.ts";
import { isMap, quoted } from "../field-reader.ts";
import { type Complaint, given, type LintRule, type LintSubject } from "./rule.ts";

type Path = readonly PropertyKey[];

/** The hook events every revision runs; in 2026-11 a further one gets a note, since older clients ignore it. */
const portableEvents = definitionHookEvents["2026-02"];

/** The kinds of hook, and the field without which each has nothing to do. */
const hookTypes: ReadonlyMap<string, string> = new Map([
  ["command", "command"],
  ["prompt", "prompt"],
  ["agent", "prompt"],
  ["http", "url"],
  ["mcp_tool", "tool"],
]);

/** The rule about hooks: `{Event: [{matcher?, hooks: [{type, …}]}]}`. */
export const hookRules: readonly LintRule[] = [
  {
    id: "V-AG-14",
    severity: "error",
    title: "hooks is well-formed",
    check(subject) {
      const hooks = given(subject, "hooks");
      if (hooks === undefined) return [];
      if (!isMap(hooks)) return [wrong(["hooks"], hooks, "a map from events to matchers")];
      return Object.entries(hooks).flatMap(([event, matchers]) => [
        ...eventComplaints(subject, event),
        ...matcherComplaints(matchers, ["hooks", event]),
      ]);
    },
  },
];

/** An event outside the revision's list never runs; one outside every revision's list does not run for everybody. */
function eventComplaints({ revision }: LintSubject, event: string): Complaint[] {
  if (portableEvents.includes(event)) return [];
  const path = ["hooks", event];
  const fix = `use ${portableEvents.join(", ")}, or move the hook to settings.json`;
  return definitionHookEvents[revision].includes(event)
    ? [{ path, severity: "note", message: `hooks on ${event} are ignored by clients of revision 2026-02`, fix }]
    : [{ path, severity: "warning", message: `hooks on ${event} are ignored in revision ${revision}`, fix }];
}

function matcherComplaints(matchers: unknown, path: Path): Complaint[] {
  if (!Array.isArray(matchers)) return [wrong(path, matchers, "a list of matchers")];
  return matchers.flatMap((entry: unknown, index): Complaint[] => {
    const at = [...path, index];
    if (!isMap(entry)) return [wrong(at, entry, "a map with matcher and hooks")];
    const { matcher, hooks } = entry;
    const complaints =
      matcher === undefined || typeof matcher === "string" ? [] : [wrong([...at, "matcher"], matcher, "text")];
    if (!Array.isArray(hooks) || hooks.length === 0)
      return [...complaints, wrong([...at, "hooks"], hooks, "a list of hooks")];
    return [...complaints, ...hooks.flatMap((hook: unknown, nth) => hookComplaints(hook, [...at, "hooks", nth]))];
  });
}

function hookComplaints(hook: unknown, path: Path): Complaint[] {
  if (!isMap(hook)) return [wrong(path, hook, "a map with type and what to run")];
  const { type, timeout } = hook;
  const needed = typeof type === "string" ? hookTypes.get(type) : undefined;
  if (needed === undefined) return [wrong([...path, "type"], type, `one of ${[...hookTypes.keys()].join(", ")}`)];
  const complaints: Complaint[] = [];
  const what = hook[needed];
  if (typeof what !== "string" || what.trim() === "") complaints.push(wrong([...path, needed], what, "text"));
  if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0)) {
    complaints.push(wrong([...path, "timeout"], timeout, "a number of seconds"));
  }
  return complaints;
}

function wrong(path: Path, value: unknown, wanted: string): Complaint {
  const name = path.join(".");
  const message =
    value === undefined
      ? `${name} is missing`
      : `${name} is ${Array.isArray(value) && value.length === 0 ? "an empty list" : quoted(value)}, not ${wanted}`;
  return { path, message, fix: `make ${name} ${wanted}` };
}
