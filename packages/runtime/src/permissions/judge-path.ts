import { dirname } from "node:path";
import { directoryRule, type KnownPermissionUpdate } from "@troupe/protocol";
import { isBelow, isInside, placesOf, placesToForbid, sensitiveNames } from "./place.ts";
import { type Rule, speaksOf } from "./rule.ts";
import { allowed, allowing, type Ground, type Ruling, ruled } from "./ruling.ts";
import { isSensitive } from "./sensitive.ts";

export interface PathUse {
  readonly access: "read" | "write";
  /** Absolute, links and `..` not yet followed. */
  readonly path: string;
  /**
   * The tool whose rules count; undefined for what a shell does, where those about reading and
   * editing do.
   */
  readonly tool?: string;
  readonly isDirectory?: boolean;
}

/** The rule that denies or asks about a path: as it is written, or where it leads. */
export function ruleOn(
  { rules }: Pick<Ground, "rules">,
  behavior: "ask" | "deny",
  { access, path }: PathUse,
): Rule | undefined {
  const places = placesToForbid(path);
  return rules.find(
    (rule) => rule.behavior === behavior && rule.access === access && places.some((place) => rule.isPlace?.(place)),
  );
}

/**
 * The judgement of reading or writing one path: deny rules, ask rules, allow rules, and then the
 * bounds of the mode.
 */
export function judgePath(ground: Ground, use: PathUse): Ruling {
  const { path } = use;
  const isWrite = use.access === "write";
  const denying = ruleOn(ground, "deny", use);
  if (denying) return ruled(denying);
  const places = placesOf(path);
  const isPlan = places?.every((place) => ground.plans.some((plans) => isBelow(place, plans)));
  if (isWrite && ground.mode === "plan" && !isPlan) {
    return { behavior: "deny", reason: `plan mode changes nothing, and this writes ${path}` };
  }
  const asking = ruleOn(ground, "ask", use);
  if (asking) return ruled(asking);
  if (!places) return { behavior: "ask", reason: `it cannot be known beforehand where ${path} leads` };
  if (isWrite && isPlan) return { ...allowed("it is a plan"), isEdit: true };
  if (isMemory(ground, use, places)) return allowed("it is the agent's memory");
  const sensitive = isWrite ? places.flatMap(sensitiveNames) : [];
  const rule = ground.rules.find((one) => allows(one, use, places, sensitive));
  if (rule) return allowed(`allowed by the rule ${rule.text} (${rule.source})`, rule);
  if (sensitive.length > 0) {
    return { behavior: "ask", reason: `${path} contains ${sensitive[0]}, which decides what other programs run` };
  }
  return inBounds(ground, use, places);
}

/** Texts of the agent's memory, which its tools edit; but none that other programs obey. */
function isMemory({ memory }: Ground, { access, tool }: PathUse, places: readonly string[]): boolean {
  return places.every((place) => {
    const directory = memory.find((one) => isBelow(place, one));
    if (directory === undefined) return false;
    const names = place.slice(directory.length).split("/");
    const last = names.at(-1)?.toLowerCase() ?? "";
    const isText = last.endsWith(".md") && !/^(?:claude|agents)(?:\.local)?\.md$/.test(last);
    return access === "read" || (tool !== undefined && isText && !names.some(isSensitive));
  });
}

function allows(
  rule: Rule,
  { access, tool }: PathUse,
  places: readonly string[],
  sensitive: readonly string[],
): boolean {
  if (rule.behavior !== "allow") return false;
  // A rule that allows everything is not meant for the files that other programs trust.
  const named = rule.tool.kind === "tool" ? (rule.tool.argument ?? "").toLowerCase() : "";
  if (!sensitive.every((name) => named.includes(name.toLowerCase()))) return false;
  if (rule.isWhole) return tool !== undefined && speaksOf(rule, tool);
  return rule.access === access && places.every((place) => rule.isPlace?.(place));
}

function inBounds(ground: Ground, { access, path, isDirectory }: PathUse, places: readonly string[]): Ruling {
  const isWrite = access === "write";
  if (!isInside(places, isWrite ? ground.roots : [...ground.roots, ...ground.readable])) {
    const suggestions = outside(path, isWrite, isDirectory ?? false);
    return { behavior: "ask", reason: `${path} lies outside the agent's directories`, suggestions };
  }
  if (!isWrite) return allowed("it lies in the agent's directories");
  if (ground.mode === "acceptEdits")
    return { ...allowed("edits in the agent's directories are accepted"), isEdit: true };
  const suggestions = [{ type: "setMode", mode: "acceptEdits", destination: "session" } as const];
  return { behavior: "ask", reason: `it writes ${path}`, suggestions };
}

function outside(path: string, isWrite: boolean, isDirectory: boolean): readonly KnownPermissionUpdate[] {
  const parent = dirname(path);
  if (!isWrite) return [allowing("Read", directoryRule(isDirectory ? path : parent))];
  return [{ type: "addDirectories", directories: isDirectory ? [parent, path] : [parent], destination: "session" }];
}
