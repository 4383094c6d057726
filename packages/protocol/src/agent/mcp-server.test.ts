import { expect, test } from "vitest";
import { agentMcpServer } from "./mcp-server.ts";
import { parseAgentDefinition } from "./parse.ts";

test.each([
  ["mcpServers: [github]", ["github"]],
  ["mcpServers: [{command: npx, args: [x]}]", [{ command: "npx", args: ["x"] }]],
  ["mcpServers: [github, {db: {url: https://x}}]", ["github", { db: { url: "https://x" } }]],
  ["mcpServers: {github: , db: {url: https://x}}", ["github", { db: { url: "https://x" } }]],
  ["mcpServers: [{a: {command: a}, b: {command: b}}]", [{ a: { command: "a" } }, { b: { command: "b" } }]],
  ["mcpServers: {command: npx, args: [x]}", [{ command: "npx", args: ["x"] }]],
  ["mcpServers: [42, {db: {}}, '']", []],
])("[DEF-12] %j is read as %j", (fields, servers) => {
  const { definition } = parseAgentDefinition(`---\nname: helper\ndescription: Checks.\n${fields}\n---\nText\n`);
  expect(definition?.mcpServers).toEqual(servers);
});

test("[DEF-12] an entry of mcpServers is a reference or a definition, with or without a name", () => {
  expect(agentMcpServer("github")).toEqual({ kind: "reference", name: "github" });
  expect(agentMcpServer({ command: "npx" })).toEqual({ kind: "inline", config: { command: "npx" } });
  expect(agentMcpServer({ db: { url: "x" } })).toEqual({ kind: "inline", name: "db", config: { url: "x" } });
  expect([{}, [], null, 1, " ", { db: null }, { command: "" }].map(agentMcpServer)).not.toContain(expect.anything());
});
