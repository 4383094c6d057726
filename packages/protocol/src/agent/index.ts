export { type FrontMatterRead, readFrontMatter } from "./agent-file.ts";
export type { AgentProblem, Position } from "./agent-problem.ts";
export { type AgentType, agentTypeOf } from "./agent-type.ts";
export { type ParsedDefinitions, parseAgentsJson } from "./agents-json.ts";
export {
  AgentDefinition,
  AgentDefinition202602,
  AgentDefinition202611,
  AgentDefinitionFrontMatter,
  agentDefinitionSchemas,
} from "./definition.ts";
export type { FieldReader } from "./field-reader.ts";
export { fixAgentDefinition } from "./fix.ts";
export type { AgentFix, FixedAgentFile } from "./fixed-lines.ts";
export { hooksInForce, readHooks } from "./hooks.ts";
export {
  agentColors,
  effortLevels,
  isolations,
  type MemoryScope,
  memoryScopes,
  modelAliases,
} from "./legal-values.ts";
export { type LintFinding, type LintTarget, lintAgentDefinition, lintRules } from "./lint.ts";
export { type AgentMcpServer, agentMcpServer } from "./mcp-server.ts";
export { parseAgentDefinition } from "./parse.ts";
export { type ParsedDefinition, type ParseOptions, readModel } from "./read-definition.ts";
export { renderAgentDefinition } from "./render.ts";
export type { LintRule, LintRuleId, LintSeverity, LintSurroundings } from "./rules/rule.ts";
export { readToolList } from "./tool-list.ts";
