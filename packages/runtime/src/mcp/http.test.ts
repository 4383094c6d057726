import type { RequestListener } from "node:http";
import { McpServer } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { z } from "zod";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { portToKeep } from "../../../../scripts/port.ts";
import { said, served, use } from "../../test/served.ts";
import { answering, bodyOf, headersOf, listening } from "../../test/web-server.ts";

function factory(): McpServer {
  const server = new McpServer({ name: "web", version: "1.0.0" });
  const inputSchema = z.object({ words: z.string() });
  server.registerTool("echo", { inputSchema }, ({ words }) => ({ content: [{ type: "text", text: words }] }));
  server.registerTool("hang", {}, () => new Promise(() => {}));
  server.registerTool("flood", {}, () => ({ content: [{ type: "text", text: "x".repeat(11 << 20) }] }));
  return server;
}

/** Serves these tools; told the headers of each request. */
function sdk(seen: (headers: Headers) => void = () => {}): RequestListener {
  const pass = answering(factory);
  return async (request, response) => {
    seen(headersOf(request));
    await pass(request, await bodyOf(request), response);
  };
}

test("a server behind a URL is asked with the headers of its config, and its tools are like any other", async () => {
  const keys = new Set<string | null>();
  const { url } = await listening(sdk((headers) => keys.add(headers.get("authorization"))));
  const config = { type: "http", url, headers: { Authorization: `Bearer \${KEY}` } };
  const mcp = served({ web: config }, { environment: { KEY: "k" } });
  expect(await mcp.missing(["web"])).toEqual([]);
  expect(said(await use(mcp, "mcp__web__echo", { words: "hi" }))).toBe("hi");
  expect([...keys]).toEqual(["Bearer k"]);
});

test("a server behind a URL that hangs or goes away fails its own call, and is used again when it is back", async () => {
  const port = await portToKeep();
  const first = await listening(sdk(), port);
  const hasty = served({ web: { url: first.url } }, { callTimeoutMs: 300 });
  await hasty.missing(["web"]);
  expect(said(await use(hasty, "mcp__web__hang"))).toContain("did not answer within 0.3 s");
  const mcp = served({ web: { url: first.url } });
  await mcp.missing(["web"]);
  await first.stop();
  expect((await use(mcp, "mcp__web__echo", { words: "gone" })).isError).toBe(true);
  expect(mcp.servers()[0]?.state).toBe("failed");
  await listening(sdk(), port);
  expect(said(await use(mcp, "mcp__web__echo", { words: "back" }))).toBe("back");
});

test("an answer without end is cut off, and the next call is answered", async () => {
  const { url } = await listening(sdk());
  const mcp = served({ web: { url } });
  await mcp.missing(["web"]);
  expect(said(await use(mcp, "mcp__web__flood"))).toContain("broke off or was too long");
  expect(said(await use(mcp, "mcp__web__echo", { words: "on" }))).toBe("on");
});

test.each<[string, RequestListener, string]>([
  ["refuses", (_, response) => void response.writeHead(401).end(), "HTTP 401"],
  ["answers with something else", (_, response) => void response.end("<html>"), "content type"],
  ["never answers", () => {}, "timed out"],
])("a server behind a URL that %s is failed and says why", async (_, listener, why) => {
  const { url } = await listening(listener);
  const mcp = served({ web: { url } }, { connectTimeoutMs: 300 });
  expect(await mcp.missing(["web"])).toEqual(["web"]);
  await untilSeen("the end of connecting", () => mcp.servers()[0]?.state !== "connecting");
  expect(mcp.servers()).toEqual([
    { name: "web", written: `${url}`, state: "failed", problem: expect.stringContaining(why) },
  ]);
});
