import { definitionHookEvents } from "../../hooks/events.ts";
import { isObject } from "../../json/is-object.ts";
import { quoted } from "../field-reader.ts";
import { type Complaint, given, type LintRule, type LintSubject } from "./rule.ts";

type Path = readonly PropertyKey[];

/**
 * The hook events that every revision runs; in 2026-11 others get a note, since older clients
 * ignore them.
 */
const portableEvents = definitionHookEvents["2026-02"];

/** The kinds of hook, and the fields without which each has nothing to do. */
const hookTypes: ReadonlyMap<string, readonly string[]> = new Map([
  ["command", ["command"]],
  ["prompt", ["prompt"]],
  ["agent", ["prompt"]],
  ["http", ["url"]],
  ["mcp_tool", ["server", "tool"]],
]);

const isText = (value: unknown): value is string => typeof value === "string";
const isFlag = (value: unknown): boolean => typeof value === "boolean";

/** Optional fields of a hook, and their types. */
const extras: readonly (readonly [field: string, wanted: string, isRight: (value: unknown) => boolean])[] = [
  ["timeout", "a number of seconds", (value) => typeof value === "number" && value > 0],
  ...["if", "statusMessage", "model"].map((field) => [field, "text", isText] as const),
  ...["once", "async", "asyncRewake"].map((field) => [field, "true or false", isFlag] as const),
  ["args", "a list of texts", (value) => Array.isArray(value) && value.every(isText)],
  ["headers", "a map", isObject],
  ["shell", "bash or powershell", (value) => value === "bash" || value === "powershell"],
];

/**
 * The events whose hooks Claude Code of 2026-11 validates: a malformed one makes it ignore the
 * file.
 */
const strictEvents: ReadonlySet<string> = new Set(["PreToolUse", "PermissionRequest"]);

/** The rule about hooks: `{Event: [{matcher?, hooks: [{type, …}]}]}`. */
export const hookRules: readonly LintRule[] = [
  {
    id: "V-AG-14",
    severity: "error",
    title: "hooks is well-formed",
    check(subject) {
      const hooks = given(subject, "hooks");
      if (hooks === undefined) return [];
      if (!isObject(hooks)) {
        const complaint = wrong(["hooks"], hooks, "a map from events to matchers");
        return [hooks ? { ...complaint, isIgnored: true } : complaint];
      }
      return Object.entries(hooks).flatMap(([event, matchers]) => [
        ...eventComplaints(subject, event),
        ...matcherComplaints(matchers, ["hooks", event]).map((complaint) =>
          strictEvents.has(event) ? complaint : { ...complaint, isIgnored: false },
        ),
      ]);
    },
  },
];

/**
 * An event outside the revision's list never runs; one outside every revision's list does not run
 * for everybody.
 */
function eventComplaints({ revision }: LintSubject, event: string): Complaint[] {
  if (portableEvents.includes(event)) return [];
  const path = ["hooks", event];
  const fix = `use ${portableEvents.join(", ")}, or move the hook to settings.json`;
  return definitionHookEvents[revision].includes(event)
    ? [{ path, severity: "note", message: `hooks on ${event} are ignored by clients of revision 2026-02`, fix }]
    : [{ path, severity: "warning", message: `hooks on ${event} are ignored in revision ${revision}`, fix }];
}

function matcherComplaints(matchers: unknown, path: Path): Complaint[] {
  if (matchers === null) return [wrong(path, matchers, "a list of matchers")];
  if (!Array.isArray(matchers)) return [fatal(path, matchers, "a list of matchers")];
  return matchers.flatMap((entry: unknown, index): Complaint[] => {
    const at = [...path, index];
    if (!isObject(entry)) return [fatal(at, entry, "a map with matcher and hooks")];
    const { matcher, hooks } = entry;
    const complaints = matcher === undefined || isText(matcher) ? [] : [fatal([...at, "matcher"], matcher, "text")];
    if (!Array.isArray(hooks)) return [...complaints, fatal([...at, "hooks"], hooks, "a list of hooks")];
    if (hooks.length === 0) return [...complaints, wrong([...at, "hooks"], hooks, "a list of hooks")];
    return [...complaints, ...hooks.flatMap((hook: unknown, nth) => hookComplaints(hook, [...at, "hooks", nth]))];
  });
}

function hookComplaints(hook: unknown, path: Path): Complaint[] {
  if (!isObject(hook)) return [fatal(path, hook, "a map with type and what to run")];
  const { type } = hook;
  const needed = typeof type === "string" ? hookTypes.get(type) : undefined;
  if (needed === undefined) return [fatal([...path, "type"], type, `one of ${[...hookTypes.keys()].join(", ")}`)];
  return [
    ...needed.flatMap((field) => neededComplaints(field, hook[field], [...path, field])),
    ...extras.flatMap(([field, wanted, isRight]) =>
      hook[field] === undefined || isRight(hook[field]) ? [] : [fatal([...path, field], hook[field], wanted)],
    ),
  ];
}

function neededComplaints(field: string, value: unknown, path: Path): Complaint[] {
  if (!isText(value)) return [fatal(path, value, "text")];
  if (field === "url" && !URL.canParse(value)) return [fatal(path, value, "a URL")];
  return value.trim() === "" ? [wrong(path, value, "text")] : [];
}

/** A fault of form. */
const fatal = (path: Path, value: unknown, wanted: string): Complaint => ({
  ...wrong(path, value, wanted),
  isIgnored: true,
});

function wrong(path: Path, value: unknown, wanted: string): Complaint {
  const name = path.join(".");
  const message =
    value === undefined
      ? `${name} is missing`
      : `${name} is ${Array.isArray(value) && value.length === 0 ? "an empty list" : quoted(value)}, not ${wanted}`;
  return { path, message, fix: `make ${name} ${wanted}` };
}
