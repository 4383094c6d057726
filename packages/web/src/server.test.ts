import { once } from "node:events";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { TroupeError } from "@troupe/protocol";
import { expect, test } from "vitest";
import { awaited } from "../../../scripts/awaited.ts";
import { portToKeep } from "../../../scripts/port.ts";
import { openPlace, openSource, pass, secret, token } from "../test/place.ts";

const asked = (port: number, path: string, more: readonly string[] = [], method = "GET") =>
  `${[`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...more].join("\r\n")}\r\n\r\n`;
const sent = (port: number, path: string, body: string, more: readonly string[] = []) =>
  asked(port, path, [...more, "Content-Type: application/json", `Content-Length: ${body.length}`], "POST") + body;

test("the address ends with the token behind a mark, and the page is given to anybody and does not have it", async () => {
  const { port, say, url } = await openPlace();
  expect(url).toBe(`http://127.0.0.1:${port}/#${token}`);
  const page = await say(asked(port, "/"));
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining("<title>troupe</title>") });
  expect(page.body).not.toContain(token);
});

test("the token is exchanged for a cookie that no script reads and no other site sends, and with it the teams are shown", async () => {
  const { port, say, cookie } = await openPlace();
  const entered = await say(sent(port, "/session", JSON.stringify({ token })));
  expect(entered.status).toBe(204);
  expect(entered.headers.get("set-cookie")).toBe(`troupe-${port}=${pass}; HttpOnly; SameSite=Strict; Path=/`);
  const teams = await say(asked(port, "/api/teams", [`Cookie: other=1; ${cookie}`]));
  expect(teams.status).toBe(200);
  expect(JSON.parse(teams.body).teams).toMatchObject([{ name: "crew", description: secret }]);
});

test.each(["/", "/app.js", "/api/teams", "/nothing"])(
  "the answer to %s says what pages may do with it",
  async (path) => {
    const { port, say } = await openPlace();
    const { headers } = await say(asked(port, path));
    expect(headers.get("content-security-policy")?.split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data:",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      "x-frame-options": "DENY",
      "cache-control": "no-store",
    });
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  },
);

test("it listens on the loopback addresses alone", async () => {
  const { port } = await openPlace();
  const answers = (host: string) =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, host, () => {
        socket.destroy();
        resolve(true);
      }).on("error", () => resolve(false));
    });
  expect(await answers("127.0.0.1")).toBe(true);
  const hasSix = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));
  expect(await answers("::1")).toBe(hasSix);
  const others = Object.values(networkInterfaces()).flatMap((all) => all?.filter(({ internal }) => !internal) ?? []);
  for (const { address } of others) expect(await answers(address), address).toBe(false);
  expect(await answers("127.0.0.2")).toBe(false);
});

test("what has not changed since the page asked for it is not sent again", async () => {
  const { port, say, cookie } = await openPlace();
  const first = await say(asked(port, "/api/team/crew", [`Cookie: ${cookie}`]));
  const etag = first.headers.get("etag") ?? "";
  expect(etag).toMatch(/^"[\w-]{43}"$/);
  const same = await say(asked(port, "/api/team/crew", [`Cookie: ${cookie}`, `If-None-Match: ${etag}`]));
  expect(same).toMatchObject({ status: 304, body: "" });
  const other = await say(asked(port, "/api/team/crew", [`Cookie: ${cookie}`, 'If-None-Match: "x"']));
  expect(other.status).toBe(200);
});

test.each([
  ["answer", { request: "r1", of: "plan", decision: "allowed", note: "go" }],
  ["send", { to: null, text: "hello" }],
  ["task", { id: "3", status: "pending", owner: null }],
] as const)("what a person wants to %s is done as they said it, and nothing else of the body", async (kind, body) => {
  const { port, say, cookie, acts } = await openPlace();
  const said = await say(
    sent(port, `/api/team/crew/${kind}`, JSON.stringify({ ...body, as: "lead" }), [`Cookie: ${cookie}`]),
  );
  expect(said).toMatchObject({ status: 200, body: JSON.stringify({ isDone: true, words: "done" }) });
  expect(acts).toEqual([{ kind, ...body }]);
});

test("a page that only looks cannot do anything", async () => {
  const { source } = openSource({ act: undefined });
  const { port, say, cookie } = await openPlace({ source });
  const body = JSON.stringify({ to: "ann", text: "hello" });
  const said = await say(sent(port, "/api/team/crew/send", body, [`Cookie: ${cookie}`]));
  expect(said).toMatchObject({ status: 403, body: expect.stringContaining("--write") });
});

test("what is wrong with a team is told; of a fault in the program the page hears nothing, and the terminal all", async () => {
  const fault = new Error(`cannot read ${secret}`);
  const named = new TroupeError("team_unknown", "there is no team crew", { name: "crew" });
  const { source } = openSource({ teams: () => Promise.reject(fault), team: () => Promise.reject(named) });
  const { port, say, cookie, shown } = await openPlace({ source });
  expect(await say(asked(port, "/api/team/crew", [`Cookie: ${cookie}`]))).toMatchObject({
    status: 404,
    body: "there is no team crew\n",
  });
  const broken = await say(asked(port, "/api/teams", [`Cookie: ${cookie}`]));
  expect(broken.status).toBe(500);
  expect(broken.body).not.toContain(secret);
  expect(shown).toEqual([`cannot read ${secret}`]);
});

test("a client that sends its head or its body in drops is let go", async () => {
  const limits = { headMs: 100, requestMs: 150 };
  const { port, say, acts, cookie } = await openPlace({ limits });
  const head = await awaited("the end of a slow head", say("GET /api/teams HTTP/1.1\r\nHost: 127.0"));
  expect([0, 408]).toContain(head.status);
  const slow = sent(port, "/api/team/crew/send", '{"to":"ann","text":"x"}', [`Cookie: ${cookie}`]).slice(0, -2);
  const body = await awaited("the end of a slow body", say(slow));
  expect([0, 408]).toContain(body.status);
  expect(acts).toEqual([]);
});

test("a client that says that it will send too much is refused before it has, and one that does not say it when it has", async () => {
  const { port, say, acts, cookie } = await openPlace();
  const more = ["Content-Type: application/json", `Cookie: ${cookie}`];
  const declared = await awaited(
    "the refusal",
    say(asked(port, "/api/team/crew/send", [...more, "Content-Length: 1000000"], "POST")),
    5_000,
  );
  expect(declared.status).toBe(413);
  const chunk = `8000\r\n${"x".repeat(0x8000)}\r\n`.repeat(4);
  const silent = await say(asked(port, "/api/team/crew/send", [...more, "Transfer-Encoding: chunked"], "POST") + chunk);
  expect(silent.status).toBe(413);
  expect(acts).toEqual([]);
});

test("no more connections and no more streams are held than are allowed", async () => {
  const { port, say, cookie } = await openPlace({ limits: { streams: 1, connections: 3 } });
  const events = asked(port, "/api/events", [`Cookie: ${cookie}`]);
  const socket = connect(port, "127.0.0.1", () => socket.write(events));
  await once(socket, "data");
  expect(await say(events)).toMatchObject({ status: 503 });
  const more = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
  await Promise.all(more.map((one) => once(one, "connect")));
  expect(await awaited("the end of one too many", say(asked(port, "/")))).toMatchObject({ status: 0 });
  for (const one of [socket, ...more]) one.destroy();
});

test("once it is to end, open streams are closed and nothing listens any more", async () => {
  const { port, say, cookie, over, ended } = await openPlace({ port: await portToKeep() });
  const socket = connect(port, "127.0.0.1", () => socket.write(asked(port, "/api/events", [`Cookie: ${cookie}`])));
  await once(socket, "data");
  const closed = once(socket, "close");
  over.abort();
  await awaited("the end of the server", ended);
  await awaited("the end of the stream", closed);
  await expect(say(asked(port, "/"))).rejects.toThrow("ECONNREFUSED");
});
