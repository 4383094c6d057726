import type { Revision } from "@troupe/protocol";
import { boundOf } from "../agent/bound.ts";
import { usualGates } from "../agent/gates.ts";
import { isLeft, memoryTools } from "../agents/inherit.ts";
import { deniedAgents } from "../agents/listing.ts";
import { memoryPlace } from "../agents/memory-place.ts";
import { chooseModel, type ModelOverrides } from "../model/choice.ts";
import { grantedBy } from "../permissions/from-settings.ts";
import type { KnownAgent } from "../project/definitions.ts";
import { settingsOf } from "../settings/of-folder.ts";
import { builtInNames } from "../tools/index.ts";

/** One thing that is so for an agent, and the file, setting, variable or rule that makes it so. */
export interface EffectiveValue {
  readonly field: string;
  readonly value: string;
  readonly from: string;
}

export interface EffectiveDeps {
  readonly agent: KnownAgent;
  /** The text of its definition, for the lines of its fields. */
  readonly text?: string | undefined;
  /** The name of its file as it is shown. */
  readonly file?: string | undefined;
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly revision: Revision;
  readonly overrides: ModelOverrides;
}

const variable = "CLAUDE_CODE_SUBAGENT_MODEL";

/**
 * What an agent would work with, started here by the main conversation, and where each part comes
 * from.
 */
export function effectiveDefinition(deps: EffectiveDeps): readonly EffectiveValue[] {
  const { agent, text = "", file = agent.source, root, home, project, revision, overrides } = deps;
  const { agentType, background = false, permissionMode } = agent;
  const head = text.split(/^---\s*$/m)[1] ?? text;
  const place = (field: string): string => {
    const at = head.split("\n").findIndex((line) => new RegExp(`^\\s*["']?${field}["']?\\s*:`).test(line));
    return at < 0 || head === text ? file : `${file}:${at + 1}`;
  };
  const said = (field: keyof KnownAgent & string, otherwise: string, from: string): EffectiveValue => {
    const value = agent[field];
    return value === undefined
      ? { field, value: otherwise, from }
      : { field, value: wordsOf(value), from: place(field) };
  };
  const usual = `the usual in ${revision}`;
  const loaded = settingsOf({ root, cwd: project });
  const { rules } = grantedBy(loaded, { project, home, mode: "default" });
  const denied = deniedAgents([agent], rules).get(agentType);
  return [
    ...(denied === undefined ? [] : [{ field: "start", value: "denied", from: denied }]),
    model(),
    tools(),
    mode(),
    memory(),
    said("maxTurns", "no bound", usual),
    said("effort", "its caller's", usual),
    said("background", revision === "2026-02" ? "as the call says" : "true unless the call says otherwise", usual),
    said("isolation", "none", usual),
    ...(["skills", "mcpServers", "requiredMcpServers", "hooks", "initialPrompt", "color"] as const)
      .filter((field) => agent[field] !== undefined)
      .map((field) => said(field, "", "")),
  ];

  function model(): EffectiveValue {
    const [forced, own] = [overrides[variable]?.trim(), agent.model?.trim()];
    const asked = [forced, own].find((one) => one && one !== "inherit");
    const from = forced && forced !== "inherit" ? variable : own ? place("model") : usual;
    if (!asked) return { field: "model", value: "its caller's", from };
    const id = chooseModel({ asked, parent: "", overrides });
    return { field: "model", value: id === asked ? id : `${id} (${asked})`, from };
  }

  /** The session's own mode bounds it; settings may say that one. */
  function mode(): EffectiveValue {
    const own = permissionMode ?? (revision === "2026-02" ? "default" : "its caller's");
    const { defaultMode } = loaded.settings.permissions;
    const { source = "user" } = loaded.origins.get("/permissions/defaultMode") ?? {};
    const from = permissionMode === undefined ? usual : place("permissionMode");
    if (defaultMode === undefined) return { field: "mode", value: `${own}, and never more than its session's`, from };
    const bound = `defaultMode of the ${source} settings`;
    return {
      field: "mode",
      value: `${own}, and never more than its session's, ${defaultMode}`,
      from: `${from}; ${bound}`,
    };
  }

  function tools(): EffectiveValue {
    const bound = boundOf(agent, background || revision === "2026-11");
    const maySpawn = usualGates(revision).maxDepth > 1;
    const left = builtInNames(revision).filter(
      (name) => (name !== "Agent" || maySpawn) && isLeft(name, [bound], revision),
    );
    const given = (["tools", "disallowedTools"] as const).filter((field) => agent[field] !== undefined);
    const from = [
      ...(given.length === 0 ? [usual] : given.map((field) => `${field} at ${place(field)}`)),
      ...(agent.memory === undefined ? [] : [`${[...memoryTools].join(", ")} by memory at ${place("memory")}`]),
    ];
    const ofServers = agent.tools === undefined ? ["and those of its MCP servers"] : [];
    return { field: "tools", value: [left.join(", ") || "none", ...ofServers].join(", "), from: from.join("; ") };
  }

  function memory(): EffectiveValue {
    const { memory: scope } = agent;
    if (scope === undefined) return { field: "memory", value: "none", from: usual };
    const directory = memoryPlace({ agent, root, project });
    const value = directory === undefined ? `none: a link leads out of the ${scope} memory` : `${scope}: ${directory}`;
    return { field: "memory", value, from: place("memory") };
  }
}

const wordsOf = (value: unknown): string => {
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
};
