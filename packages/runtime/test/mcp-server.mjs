// An MCP server made with the official SDK, good and bad: the first argument says how it begins,
// its tools what can happen to a call.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const [, , manner = "good"] = process.argv;
const text = (words) => ({ content: [{ type: "text", text: words }] });
const never = () => new Promise(() => {});
const floods = (stream, words) => {
  const go = () => {
    while (stream.write(words));
    stream.once("drain", go);
  };
  go();
};

appendFileSync("starts", `${process.pid}\n`);
const server = new McpServer({ name: "test", version: "1.0.0" }, { capabilities: { tools: { listChanged: true } } });
const schemaOf = (properties) => fromJsonSchema({ type: "object", properties, required: Object.keys(properties) });
const tool = (name, annotations, run, properties = {}) =>
  server.registerTool(name, { description: `${name} it`, inputSchema: schemaOf(properties), annotations }, run);

tool("echo", { readOnlyHint: true }, ({ words }) => text(words), { words: { type: "string" } });
tool("who", {}, () => text(String(process.pid)));
tool("environment", { idempotentHint: true }, () => text(JSON.stringify(process.env)));
tool("refuse", {}, () => ({ ...text("the table is locked"), isError: true }));
tool("throw", {}, () => Promise.reject(new Error("bad luck")));
tool("long", {}, () => text("x".repeat(300_000)));
tool("huge", {}, () => text("x".repeat(11 << 20)));
tool("hang", {}, never);
tool("die", {}, () => process.stderr.write("out of luck\n", () => process.exit(3)) && never());
tool("wait", {}, (_, { mcpReq }) => {
  mcpReq.signal.addEventListener("abort", () => writeFileSync("cancelled", ""));
  writeFileSync("waiting", "");
  return never();
});
tool("babble", {}, () => {
  process.stdout.write('{"jsonrpc":\nnot json\n{"jsonrpc":"2.0"}\n[]\n\n');
  return text("still here");
});
tool("flood", {}, () => {
  floods(process.stdout, `${"noise ".repeat(10_000)}\n`);
  return never();
});
tool("shout", {}, () => {
  floods(process.stderr, `${"noise ".repeat(10_000)}\n`);
  return text("heard");
});
tool("breed", {}, () => text(String(spawn("sleep", ["300"], { stdio: "inherit" }).pid)));
tool("learn", {}, () => {
  tool("new.trick", {}, () => text("tricked"));
  return text("learned");
});
tool("forget", {}, () => {
  nonsense.remove();
  return text("forgotten");
});
const nonsense = tool("nonsense", {}, () => text(""));

if (manner === "odd") {
  const of = (name, properties) => ({ name, inputSchema: { type: "object", properties } });
  const tools = [
    of("fine", { words: { type: "string" } }),
    of("wrong", { words: { type: "text" } }),
    of("long", { words: { description: "x".repeat(70_000) } }),
  ];
  server.server.setRequestHandler("tools/list", () => ({ tools }));
}
if (manner === "bare") server.server.setRequestHandler("tools/list", () => ({ tools: [] }));
if (manner === "slow") while (!existsSync("let-in")) await new Promise((resolve) => setTimeout(resolve, 5));
if (manner === "stubborn") {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1_000);
}
if (manner === "leaving") {
  process.stderr.write("no licence\n");
  process.exitCode = 1;
} else if (manner === "killed") {
  process.stderr.write("almost there\n", () => process.kill(process.pid, "SIGKILL"));
  setInterval(() => {}, 1_000);
} else if (manner === "garbled") {
  process.stdout.write("Welcome to the server!\nListening.\n");
  setInterval(() => {}, 1_000);
} else if (manner === "mute") setInterval(() => {}, 1_000);
else if (manner === "flooding") floods(process.stdout, "noise\n");
else await server.connect(new StdioServerTransport());
