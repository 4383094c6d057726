import { request } from "node:http";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../../../scripts/awaited.ts";
import { clientOf, talk, versions } from "../test/client.ts";
import { scene } from "../test/place.ts";
import { type Place, serveTeamHttp } from "./index.ts";

const token = "0123456789abcdef0123456789abcdef";

async function serve(place: Place): Promise<string> {
  const ending = new AbortController();
  const { signal } = ending;
  const { url, ended } = await serveTeamHttp({ place, version: "0.0.0", port: 0, token, signal, show: () => {} });
  onTestFinished(async () => {
    ending.abort();
    await ended;
  });
  return url;
}

async function connectTo(url: string, version: (typeof versions)[number]) {
  const client = clientOf(version);
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return talk(client);
}

/** The status of a request with just these headers. */
function statusOf(url: string, headers: Record<string, string>, body = "{}"): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: "POST", headers, setHost: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on("error", reject).end(body);
  });
}

test.for(versions)("%s: a client over HTTP takes part as any other does", async (version) => {
  const { member, team } = await scene("2026-02", "alice");
  const alice = await connectTo(await serve(member("alice")), version);
  await (await team.as("team-lead")).send("alice", { text: "hello" });
  expect(await alice.ask("read_mail", { wait_seconds: 50 })).toMatchObject({ messages: [{ text: "hello" }] });
  const { id } = await team.tasks.create({ subject: "Paint", description: "" });
  expect(await alice.ask("claim_task")).toMatchObject({ task: { id, owner: "alice" } });
  expect((await team.tasks.get(id)).value?.owner).toBe("alice");
});

test("a client of 2025 over HTTP is not promised to be told of changes, and one of 2026 is", async () => {
  const { observer } = await scene("2026-02");
  const url = await serve(observer);
  const promised = async (version: (typeof versions)[number]) =>
    (await connectTo(url, version)).client.getServerCapabilities()?.resources?.subscribe;
  expect([await promised("2025-11-25"), await promised("2026-07-28")]).toEqual([undefined, true]);
});

test("a port that another program has is named, and what to do", async () => {
  const { observer } = await scene("2026-02");
  const { port } = new URL(await serve(observer));
  const signal = AbortSignal.timeout(60_000);
  const again = serveTeamHttp({ place: observer, version: "0.0.0", port: Number(port), token, signal, show: () => {} });
  await expect(again).rejects.toMatchObject({ code: "arguments_invalid", message: expect.stringContaining("another") });
});

test("a client of 2026-07-28 over HTTP is told of what it listens to", async () => {
  const { observer, team } = await scene("2026-02", "alice");
  const { client } = await connectTo(await serve(observer), "2026-07-28");
  const heard: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
  await client.listen({ resourceSubscriptions: ["troupe://team/crew/tasks"] });
  await team.tasks.create({ subject: "Paint", description: "" });
  await untilSeen("the change of the tasks", () => heard.includes("troupe://team/crew/tasks"));
});

const good = (port: string) => ({
  host: `127.0.0.1:${port}`,
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
});

test.for<[string, (port: string) => Record<string, string | undefined>, number]>([
  ["a name that was pointed here", () => ({ host: "evil.example" }), 403],
  ["a host that only begins like ours", (port) => ({ host: `127.0.0.1.evil.example:${port}` }), 403],
  ["another port", () => ({ host: "127.0.0.1:1" }), 403],
  ["no host at all", () => ({ host: "" }), 403],
  ["a page of others", () => ({ origin: "http://evil.example" }), 403],
  ["a page whose address begins like ours", (port) => ({ origin: `http://127.0.0.1:${port}.evil.example` }), 403],
  ["a page without an origin", () => ({ origin: "null" }), 403],
  ["no token", () => ({ authorization: undefined }), 401],
  ["a wrong token", () => ({ authorization: `Bearer ${token.slice(1)}x` }), 401],
  ["the beginning of the token", () => ({ authorization: `Bearer ${token.slice(0, 8)}` }), 401],
  ["an empty token", () => ({ authorization: "Bearer " }), 401],
  ["the token in another scheme", () => ({ authorization: `Basic ${token}` }), 401],
])("%s is turned away", async ([, change, status]) => {
  const { observer } = await scene("2026-02");
  const url = await serve(observer);
  const headers = { ...good(new URL(url).port), ...change(new URL(url).port) };
  const given = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  expect(await statusOf(url, given)).toBe(status);
  expect(await statusOf(`${url}?token=${token}`, given)).toBe(status);
});

test("a body that is no message, or without end, is answered with an error, and the next call as ever", async () => {
  const { member } = await scene("2026-02", "alice");
  const url = await serve(member("alice"));
  const headers = good(new URL(url).port);
  for (const body of ["", "{", "[]", "[1]", '{"jsonrpc":"2.0"}', "x".repeat(2 << 20), "\u0000"])
    expect(await statusOf(url, headers, body).catch(() => 400), body.slice(0, 20)).toBeGreaterThanOrEqual(400);
  for (const path of ["/", "//[", "/mcp/..", "/MCP"])
    expect(await statusOf(url.replace("/mcp", path), headers), path).toBe(404);
  const alice = await connectTo(url, "2025-11-25");
  expect(await alice.ask("team_status")).toMatchObject({ you: "alice" });
});
