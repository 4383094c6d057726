export { type HostDeps, hostAgent } from "./host.ts";
export { type AgentPreset, agentNamed, agentPresets, lentVariables } from "./presets.ts";
