import type { Problem } from "./problems.ts";

/**
 * A reference to tools, as in `tools`, `disallowedTools`, `--allowedTools` and permission rules.
 */
export type ToolRule =
  | { readonly kind: "every" }
  | {
      readonly kind: "tool";
      /** Today's name: `Agent` for `Task`. */
      readonly name: string;
      /** The name as it was written, which is how it is written back. */
      readonly spelling: string;
      /** The text between the parentheses, byte for byte. */
      readonly argument?: string;
    }
  /** Without a tool, every tool of the server; without a server, every MCP tool. */
  | { readonly kind: "mcp"; readonly spelling: string; readonly server?: string; readonly tool?: string };

/** A rule, or what is wrong with the text. */
export type ParsedToolRule =
  | { readonly rule: ToolRule; readonly problem?: never }
  | { readonly problem: Problem; readonly rule?: never };

/** Names that a tool once had, and the name it has now. */
export const formerToolNames: ReadonlyMap<string, string> = new Map([
  ["Task", "Agent"],
  ["KillShell", "TaskStop"],
  ["MCPSearch", "ToolSearch"],
]);

/**
 * Every built-in tool that a definition may name, in any revision. The list grows: an unknown name
 * is only a lint error.
 */
export const knownTools: ReadonlySet<string> = new Set(
  [
    "AskUserQuestion Bash TaskOutput Edit ExitPlanMode Glob Grep KillShell MCPSearch NotebookEdit Read Skill Task TaskCreate",
    "TaskGet TaskList TaskUpdate WebFetch WebSearch Write LSP",
    "SendMessage TeamCreate TeamDelete EnterPlanMode Agent TaskStop",
    "Artifact CronCreate CronDelete CronList EndConversation EnterWorktree ExitWorktree ListAgents Monitor PowerShell",
    "ReportFindings ScheduleWakeup SubagentHandback TodoWrite ToolSearch WaitForMcpServers Workflow",
  ].flatMap((line) => line.split(" ")),
);

/** Whether a definition may name this tool: a built-in, a well-formed MCP name, or `*`. */
export function isKnownTool(name: string): boolean {
  if (knownTools.has(name)) return true;
  const { rule } = parseToolRule(name);
  return rule !== undefined && rule.kind !== "tool";
}

/** The built-in tool that was probably meant: the same letters in other case or with separators. */
export function similarTool(name: string): string | undefined {
  const letters = name.replace(/[^A-Za-z]/g, "").toLowerCase();
  return [...knownTools].find((known) => known.toLowerCase() === letters);
}

/**
 * Cuts a list at commas and blanks, never inside parentheses: `Bash(git:*) Edit, Agent(a, b)` has
 * three items. Of an array, entries are joined where that closes a parenthesis: YAML makes two of
 * `[Agent(a, b)]`.
 */
export function splitToolList(list: string | readonly string[]): string[] {
  if (typeof list === "string") return cutToolList(list);
  const depths = list.map(openParentheses);
  const items: string[] = [];
  for (let first = 0; first < list.length; first++) {
    let last = first;
    let depth = depths[first] ?? 0;
    while (depth > 0 && last + 1 < list.length) depth += depths[++last] ?? 0;
    if (depth !== 0) last = first;
    items.push(...cutToolList(list.slice(first, last + 1).join(", ")));
    first = last;
  }
  return items;
}

function cutToolList(text: string): string[] {
  const items: string[] = [];
  let item = "";
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === "\\" && depth > 0) {
      item += char + text.charAt(++at);
      continue;
    }
    if (char === "(") depth++;
    if (char === ")") depth = Math.max(0, depth - 1);
    if (depth === 0 && /[,\s]/.test(char)) {
      const next = /\S/.exec(text.slice(at, at + 80))?.[0];
      // A blank before "(" stays inside the item: cut there, `Bash (git:*)` would grant the whole
      // of Bash.
      if (item !== "" && next === "(" && char !== ",") item += char;
      else if (item !== "") {
        items.push(item);
        item = "";
      }
    } else item += char;
  }
  if (item !== "") items.push(item);
  return items;
}

/** Reads one reference. `path` is where it stands, for the problem. */
export function parseToolRule(text: string, path = ""): ParsedToolRule {
  const problem = (message: string, fix: string): ParsedToolRule => ({
    problem: { path, code: "field_invalid", message: `${JSON.stringify(text)} ${message}`, fix },
  });
  const open = text.indexOf("(");
  const name = open < 0 ? text : text.slice(0, open);
  if (name === "") return problem("names no tool", 'write a tool\'s name, as in "Read" or "Bash(git:*)"');
  if (name !== name.trim())
    return problem("has a blank before the parenthesis", `write ${name.trim()}${text.slice(open)}`);
  if (open < 0 && text.includes(")")) return problem('has a ")" without its "("', 'remove the ")" or add the "("');
  if (open >= 0) {
    const end = closingParenthesis(text, open);
    if (end === undefined) return problem('has a "(" that is never closed', 'add the missing ")"');
    if (end < text.length - 1) return problem('goes on after the closing ")"', "separate the tools with a comma");
  }
  const argument = open < 0 ? undefined : text.slice(open + 1, -1);
  if (argument?.trim() === "") return problem("has empty parentheses", `write ${name}, or say what it may do`);

  if (name === "*" || name.startsWith("mcp__")) {
    if (argument !== undefined) return problem("cannot take parentheses", `write ${name}`);
    if (name === "*") return { rule: { kind: "every" } };
    const rule = mcpRule(name);
    if (rule) return { rule };
    return problem("is not an MCP name", 'write "mcp__server__tool", "mcp__server" or "mcp__*"');
  }
  if (!/^[A-Za-z_][A-Za-z0-9_.:-]*$/.test(name)) {
    return problem("is not a tool's name", "use letters, digits, - and _, and separate tools with commas");
  }
  const today = formerToolNames.get(name) ?? name;
  const rule = { kind: "tool", name: today, spelling: name, ...(argument !== undefined && { argument }) } as const;
  if (today === "Agent" && argument?.split(",").some((type) => type.trim() === "")) {
    return problem("has an empty agent type", `write ${name}(${agentTypes(rule)?.filter(Boolean).join(", ")})`);
  }
  return { rule };
}

/** Reads a list: one string as on a command line, or an array. */
export function parseToolRules(
  list: string | readonly string[],
  path = "",
): { rules: ToolRule[]; problems: Problem[] } {
  const parsed = splitToolList(list).map((item, index) => parseToolRule(item, `${path}/${index}`));
  return {
    rules: parsed.flatMap(({ rule }) => rule ?? []),
    problems: parsed.flatMap(({ problem }) => problem ?? []),
  };
}

/** The text of a rule, in the spelling it was written in. */
export function renderToolRule(rule: ToolRule): string {
  if (rule.kind === "every") return "*";
  return rule.kind === "tool" && rule.argument !== undefined ? `${rule.spelling}(${rule.argument})` : rule.spelling;
}

/** The types that `Agent(a, b)` or `Task(a)` names; undefined for a rule that names none. */
export function agentTypes(rule: ToolRule): string[] | undefined {
  if (rule.kind !== "tool" || rule.name !== "Agent" || rule.argument === undefined) return undefined;
  return rule.argument.split(",").map((type) => type.trim());
}

/**
 * Whether a rule matches this agent type: `Agent` and `Agent(*)` match all. As a deny rule it
 * removes the type.
 */
export function namesAgentType(rule: ToolRule, type: string): boolean {
  if (rule.kind !== "tool" || rule.name !== "Agent") return false;
  return agentTypes(rule)?.some((named) => named === type || named === "*") ?? true;
}

/** Whether a rule speaks of this tool, whatever stands in its parentheses. */
export function coversTool(rule: ToolRule, tool: string): boolean {
  if (rule.kind === "every") return true;
  if (rule.kind === "tool") return rule.name === (formerToolNames.get(tool) ?? tool);
  const named = tool.startsWith("mcp__") ? mcpRule(tool) : undefined;
  if (!named) return false;
  if (rule.server === undefined) return true;
  if (rule.server !== named.server) return false;
  if (rule.tool === undefined) return true;
  const [head = "", ...tail] = rule.tool.split("*");
  return tail.length === 0 ? rule.tool === named.tool : (named.tool ?? "").startsWith(head);
}

/**
 * Whether a definition leaves this tool to its agent: `tools` allows (absent, it allows all), then
 * `disallowedTools` takes away. A rule with parentheses takes no tool away, it speaks of single
 * calls. An illegible entry takes away every tool it mentions.
 */
export function allowsTool(
  definition: {
    readonly tools?: readonly string[] | undefined;
    readonly disallowedTools?: readonly string[] | undefined;
  },
  tool: string,
): boolean {
  const { tools, disallowedTools = [] } = definition;
  const isAllowed = tools === undefined || parseToolRules(tools).rules.some((rule) => coversTool(rule, tool));
  return isAllowed && !splitToolList(disallowedTools).some((item) => takesAway(item, tool));
}

function takesAway(item: string, tool: string): boolean {
  const { rule } = parseToolRule(item);
  if (rule) return coversTool(rule, tool) && (rule.kind !== "tool" || rule.argument === undefined);
  const mentioned = parseToolRules(item.split(/[^\w:.*-]+/)).rules;
  return mentioned.some((one) => one.kind !== "every" && coversTool(one, tool));
}

/** The server and the tool in `mcp__<server>__<tool>`; a final `*` stands for every tool. */
function mcpRule(spelling: string): (ToolRule & { kind: "mcp" }) | undefined {
  const [, server = "", tool] = /^mcp__(.+?)(?:__(.+))?$/.exec(spelling) ?? [];
  if (server === "*") return tool === undefined ? { kind: "mcp", spelling } : undefined;
  const isSound = /^[^\s*(),_]([^\s*(),]*[^\s*(),_])?$/.test(server) && /^[^\s*(),]*\*?$/.test(tool ?? "");
  if (!isSound) return undefined;
  return { kind: "mcp", spelling, server, ...(tool !== undefined && tool !== "*" && { tool }) };
}

/** The number of open parentheses; negative if one is closed that was not opened. */
function openParentheses(text: string): number {
  return [...text.replace(/\\./gs, "").matchAll(/[()]/g)].reduce((depth, [char]) => depth + (char === "(" ? 1 : -1), 0);
}

function closingParenthesis(text: string, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === "\\") at++;
    else if (char === "(") depth++;
    else if (char === ")" && --depth === 0) return at;
  }
  return undefined;
}
