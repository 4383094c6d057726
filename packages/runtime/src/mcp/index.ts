export { McpServerConfig } from "./config.ts";
export { type Mcp, type McpDeps, type McpServerSpec, type McpServerStatus, openMcp } from "./mcp.ts";
export { serverKey } from "./names.ts";
