import { kindOf, quoted } from "../field-reader.ts";
import { agentMcpServer } from "../mcp-server.ts";
import { type Complaint, given, type LintRule } from "./rule.ts";

/** The rules about what a definition refers to. */
export const referenceRules: readonly LintRule[] = [
  {
    id: "V-AG-12",
    severity: "warning",
    title: "skills names skills that exist",
    check(subject) {
      const skills = given(subject, "skills");
      if (skills === undefined) return [];
      if (!Array.isArray(skills)) return [notList("skills", skills)];
      const existing = subject.surroundings.skills;
      return skills.flatMap((skill: unknown, index): Complaint[] => {
        const path = ["skills", index];
        if (typeof skill !== "string") {
          return [{ path, message: `skills holds ${quoted(skill)}, not a name`, fix: "write a skill's name" }];
        }
        if (existing === undefined || existing.some((name) => name === skill || name.endsWith(`:${skill}`))) return [];
        const fix = `write the skill, or remove it from skills${existing.length > 0 ? `; there are ${existing.join(", ")}` : ""}`;
        return [{ path, message: `skills names ${quoted(skill)}, which does not exist`, fix }];
      });
    },
  },
  {
    id: "V-AG-13",
    severity: "warning",
    title: "mcpServers names servers that exist, or defines them",
    check(subject) {
      const servers = given(subject, "mcpServers");
      if (servers === undefined) return [];
      if (!Array.isArray(servers)) return [notList("mcpServers", servers)];
      const existing = subject.surroundings.mcpServers;
      return servers.flatMap((entry: unknown, index): Complaint[] => {
        const path = ["mcpServers", index];
        const server = agentMcpServer(entry);
        if (!server) {
          const fix = "write a server's name, or a definition with command: or url:";
          return [{ path, message: `mcpServers holds ${quoted(entry)}, neither a name nor a definition`, fix }];
        }
        if (server.kind === "inline" || existing === undefined || existing.includes(server.name)) return [];
        const message = `mcpServers names ${quoted(server.name)}, which is not configured`;
        return [{ path, message, fix: "add the server to .mcp.json, or define it here" }];
      });
    },
  },
];

const notList = (key: string, value: unknown): Complaint => ({
  path: [key],
  message: `${key} is ${kindOf(value)}, not a list`,
  fix: `write ${key} as a list: ${key}: [name]`,
});
