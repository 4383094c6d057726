/**
 * A server of MCP over standard input and output, with one tool that says the number of its
 * process.
 */
export const mcpServer = `
import { createInterface } from "node:readline";
const tools = [{ name: "who", description: "tells who answers", inputSchema: { type: "object", properties: {} } }];
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "of the suite", version: "1" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": () => ({ content: [{ type: "text", text: "process " + process.pid }] }),
  ping: () => ({}),
};
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined || !method) return;
    const answer = answers[method];
    const rest = answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: "there is no such method" } };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, ...rest }));
  })
  .on("close", () => process.exit(0));
`;
