export { type HostDeps, hostAgent } from "./host.ts";
export { type AgentPreset, agentPresets, lentVariables, presetNamed } from "./presets.ts";
