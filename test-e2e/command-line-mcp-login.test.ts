import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { startFakeAnthropic } from "@troupe/fake-anthropic";
import { afterAll, expect, test } from "vitest";
import { ended, openTroupe } from "./command-line.ts";

const { home, root, troupeBeside, begin, refusal, json } = openTroupe();

/** An MCP server without tools that asks for a login at itself. */
const challenges = new Map<string, string>();
const server = createServer(async (request, response) => {
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = new URL(request.url ?? "", base);
  const body = (await request.toArray()).join("");
  const answer = (value: object, status = 200) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  if (url.pathname.startsWith("/.well-known/oauth-protected-resource"))
    return answer({ resource: `${base}/mcp`, authorization_servers: [base] });
  if (url.pathname.startsWith("/.well-known/"))
    return answer({
      issuer: base,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      registration_endpoint: `${base}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    });
  if (url.pathname === "/register") return answer({ ...JSON.parse(body), client_id: "c" }, 201);
  if (url.pathname === "/authorize") {
    challenges.set("code", url.searchParams.get("code_challenge") ?? "");
    const back = new URL(url.searchParams.get("redirect_uri") ?? "");
    back.search = `${new URLSearchParams({ code: "code", state: url.searchParams.get("state") ?? "" })}`;
    return void response.writeHead(302, { location: back.href }).end();
  }
  if (url.pathname === "/token") {
    const verifier = new URLSearchParams(body).get("code_verifier") ?? "";
    const isRight = challenges.get("code") === createHash("sha256").update(verifier).digest("base64url");
    return isRight ? answer({ access_token: "t", token_type: "Bearer" }) : answer({ error: "invalid_grant" }, 400);
  }
  if (request.headers.authorization !== "Bearer t") return void response.writeHead(401).end();
  if (request.method !== "POST") return void response.writeHead(405).end();
  const { id, params } = JSON.parse(body);
  if (id === undefined) return void response.writeHead(202).end();
  const { protocolVersion } = params;
  return answer({
    jsonrpc: "2.0",
    id,
    result: { protocolVersion, capabilities: {}, serverInfo: { name: "s", version: "1" } },
  });
}).listen(0, "127.0.0.1");
await once(server, "listening");
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;

test("where a session says that a server needs a login, a person logs in by that command in a browser, which comes back to it; the next session has the server, until the person logs out", async () => {
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "settings.json"), JSON.stringify({ mcpServers: { tracker: { type: "http", url } } }));
  const cwd = join(home, "project");
  mkdirSync(cwd);
  const fake = await startFakeAnthropic({ rule: () => "Hello." });
  afterAll(() => fake.close());
  const env = { ANTHROPIC_BASE_URL: fake.url, ANTHROPIC_API_KEY: "none" };
  const session = () => troupeBeside(["-p", "hello"], { env, cwd });
  expect(await session()).toMatchObject({
    stdout: "Hello.\n",
    stderr: expect.stringMatching(/it needs a login: run "troupe mcp login tracker".*until then\n$/),
  });
  const child = begin(["mcp", "login", "tracker", "--no-browser", "--json"]);
  const end = ended(child);
  const page = await new Promise<string>((resolve) => {
    let text = "";
    child.stderr.on("data", (chunk) => {
      text += chunk;
      const [, found] = /log in at (\S+)\s/.exec(text) ?? [];
      if (found) resolve(found);
    });
  });
  expect(await (await fetch(page)).text()).toContain("You can close this window");
  const { status, stdout } = await end;
  expect([status, JSON.parse(stdout)]).toEqual([0, { server: "tracker", wasNeeded: true, tools: 0 }]);
  expect(await session()).toEqual({ status: 0, stdout: "Hello.\n", stderr: "" });
  const logins = join(root, "troupe/logins");
  expect(readdirSync(logins).map((name) => statSync(join(logins, name)).mode & 0o777)).toEqual([0o600]);
  expect(json("mcp-logout", ["mcp", "logout", "tracker"])).toEqual({ server: "tracker" });
  expect(readdirSync(logins)).toEqual([]);
  expect(refusal(3, ["mcp", "logout", url])).toContain("there is no login");
});

test("a server that nobody has configured, and one that is not there, are refused in one line", async () => {
  expect(refusal(3, ["mcp", "login", "nobody"], { cwd: home })).toMatch(/there is no MCP server nobody.*tracker/);
  const { status, stderr } = await troupeBeside(["mcp", "login", "http://127.0.0.1:1/mcp", "--no-browser"]);
  expect([status, stderr]).toEqual([1, expect.stringMatching(/no login at http:\/\/127\.0\.0\.1:1\/mcp: /)]);
});
