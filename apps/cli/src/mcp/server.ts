import type { settingsOf } from "@troupe/runtime";
import { type Answer, exits } from "../command.ts";

/** The config of a server by its name or URL; or the answer that says there is none. */
export function serverOf(
  server: string,
  { mcpServers = {} }: ReturnType<typeof settingsOf>["settings"],
): { readonly config: unknown } | (Answer & { readonly remark: string }) {
  if (/^https?:\/\//.test(server)) return { config: { type: "http", url: server } };
  if (Object.hasOwn(mcpServers, server)) return { config: mcpServers[server] };
  const names = Object.keys(mcpServers).join(", ") || "none";
  return {
    exit: exits.absent,
    remark: `there is no MCP server ${server} in the settings that apply here (${names}): give its URL, or trust the folder whose settings name it`,
  };
}
