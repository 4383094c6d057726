export { McpServerConfig } from "./config.ts";
export { type Credentials, type Login, openCredentials } from "./credentials.ts";
export { forgetLogin, type LoginDeps, type LoginEnd, login } from "./login.ts";
export { type Mcp, type McpDeps, type McpServerSpec, type McpServerStatus, openMcp } from "./mcp.ts";
export { serverKey } from "./names.ts";
