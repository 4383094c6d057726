import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { authorizing } from "../../test/authorization-server.ts";
import { scratch } from "../../test/scratch.ts";
import { said, served, use } from "../../test/served.ts";
import { openCredentials } from "./credentials.ts";
import { type LoginEnd, login } from "./login.ts";

const never = new AbortController().signal;

/** A person whose browser follows each redirect. */
const follow = (page: URL) => void fetch(page);

function begin(url: string, over: Partial<Parameters<typeof login>[0]> = {}) {
  const root = scratch();
  const credentials = openCredentials(root);
  const logins = join(root, "troupe/logins");
  const config = { type: "http", url };
  const run = (show: (page: URL) => void = follow): Promise<LoginEnd> =>
    login({ config, environment: {}, credentials, show, signal: never, ...over });
  const fileIn = () => join(logins, readdirSync(logins)[0] ?? "");
  return { root, credentials, config, run, fileIn };
}

const stateOf = async (mcp: ReturnType<typeof served>) => {
  await mcp.missing(["web"]);
  await untilSeen("the end of connecting", () => mcp.servers()[0]?.state !== "connecting");
  return mcp.servers()[0];
};

test("without a login a server that asks for one is missing, and the problem names the command that logs in", async () => {
  const { url } = await authorizing();
  const { config, credentials } = begin(url);
  const problem = 'it needs a login: run "troupe mcp login web"';
  for (const deps of [{}, { credentials }])
    expect(await stateOf(served({ web: config }, deps))).toMatchObject({
      state: "failed",
      problem: expect.stringContaining(problem),
    });
});

test("a login in a browser is kept in a file that nobody else may read, and the server's tools are there from then on", async () => {
  const { url, grants } = await authorizing();
  const { run, config, credentials, fileIn } = begin(url);
  expect(await run()).toEqual({ isDone: true, wasNeeded: true, tools: 1 });
  expect(grants).toEqual(["authorization_code given"]);
  expect(statSync(fileIn()).mode & 0o777).toBe(0o600);
  expect(statSync(join(fileIn(), "..")).mode & 0o077).toBe(0);
  const mcp = served({ web: config }, { credentials });
  expect((await stateOf(mcp))?.state).toBe("connected");
  expect(said(await use(mcp, "mcp__web__greet"))).toBe("hi");
});

test("a redirect with another state, for another name of this machine or to another place is refused, and the login goes on", async () => {
  const { url } = await authorizing();
  const { run } = begin(url);
  const refusals: number[] = [];
  const end = await run(async (page) => {
    const back = new URL(page.searchParams.get("redirect_uri") ?? "");
    expect(back.hostname).toBe("127.0.0.1");
    const state = page.searchParams.get("state") ?? "";
    expect(state.length).toBeGreaterThan(40);
    const wrong = [
      `${back}?code=stolen&state=x`,
      `${back}?code=stolen`,
      `${back.origin}/elsewhere?code=stolen&state=${state}`,
      `${String(back).replace("127.0.0.1", "localhost")}?code=stolen&state=${state}`,
    ];
    for (const one of wrong) refusals.push((await fetch(one).catch(() => ({ status: 400 }))).status);
    refusals.push((await fetch(`${back}?code=stolen&state=${state}`, { method: "POST" })).status);
    await fetch(page);
  });
  expect(refusals).toEqual([400, 400, 400, 400, 400]);
  expect(end).toMatchObject({ isDone: true });
});

test("a code that somebody else was given is of no use: it is bound to the login that was begun", async () => {
  const { url, grants } = await authorizing();
  const { run, credentials } = begin(url);
  let code = "";
  const theirs = begin(url);
  // Their browser stops at the code; ours brings it back with our state.
  const abort = new AbortController();
  const other = login({
    config: theirs.config,
    environment: {},
    credentials: theirs.credentials,
    signal: abort.signal,
    show: async (page) => {
      const { headers } = await fetch(page, { redirect: "manual" });
      code = new URL(headers.get("location") ?? "").searchParams.get("code") ?? "";
    },
  });
  await untilSeen("a code", () => code !== "");
  const end = await run((page) => {
    const back = new URL(page.searchParams.get("redirect_uri") ?? "");
    back.search = `${new URLSearchParams({ code, state: page.searchParams.get("state") ?? "" })}`;
    void fetch(back);
  });
  expect(end).toMatchObject({ isDone: false });
  expect(grants[0]).toBe("authorization_code refused");
  expect(credentials.read(new URL(url))).toBeUndefined();
  abort.abort();
  expect(await other).toEqual({ isDone: false, why: "it was not finished in time" });
});

test("a login that the person refuses says so, and nothing is kept", async () => {
  const { url } = await authorizing({ denies: true });
  const { run, credentials } = begin(url);
  expect(await run()).toEqual({ isDone: false, why: expect.stringContaining("access_denied") });
  expect(credentials.read(new URL(url))).toBeUndefined();
});

test("a login that has run out is renewed without a person, also by two processes at once, and stays in a private file", async () => {
  const server = await authorizing();
  const { run, config, credentials, fileIn } = begin(server.url);
  await run();
  const [one, other] = [served({ web: config }, { credentials }), served({ web: config }, { credentials })];
  for (const mcp of [one, other]) expect((await stateOf(mcp))?.state).toBe("connected");
  const before = readFileSync(fileIn(), "utf8");
  server.expire();
  const answers = await Promise.all([one, other].map((mcp) => use(mcp, "mcp__web__greet")));
  expect(answers.map(said)).toEqual(["hi", "hi"]);
  expect(server.grants).toContain("refresh_token given");
  expect(readFileSync(fileIn(), "utf8")).not.toBe(before);
  expect(statSync(fileIn()).mode & 0o777).toBe(0o600);
});

test("a login that was taken back fails the call with the command that logs in again, and opens nothing", async () => {
  const server = await authorizing();
  const { run, config, credentials } = begin(server.url);
  await run();
  const mcp = served({ web: config }, { credentials });
  await stateOf(mcp);
  server.revoke();
  const { isError, content } = await use(mcp, "mcp__web__greet");
  expect([isError, content]).toEqual([true, [{ type: "text", text: expect.stringContaining("troupe mcp login web") }]]);
  expect((await stateOf(served({ web: config }, { credentials })))?.problem).toContain("troupe mcp login web");
  expect(await run()).toMatchObject({ isDone: true });
  expect(said(await use(mcp, "mcp__web__greet"))).toBe("hi");
});

test("a login that others may read, or that is damaged or of another server, is not used, and is written anew in private", async () => {
  const { url } = await authorizing();
  const { run, credentials, fileIn } = begin(url);
  await run();
  expect(credentials.read(new URL(url))?.tokens).toMatchObject({ access_token: expect.stringMatching(/./) });
  chmodSync(fileIn(), 0o644);
  expect(credentials.read(new URL(url))).toBeUndefined();
  await run();
  expect(statSync(fileIn()).mode & 0o777).toBe(0o600);
  expect(credentials.read(new URL(`${url}/other`))).toBeUndefined();
  expect([credentials.forget(new URL(url)), credentials.forget(new URL(url))]).toEqual([true, false]);
});

test("a program, a server with a key of its own and one that asks for nothing need no login", async () => {
  const { credentials } = begin("");
  const ended = (config: unknown) =>
    login({ config, environment: {}, credentials, show: () => expect.unreachable(), signal: never });
  expect(await ended({ command: "x" })).toMatchObject({ isDone: false, why: expect.stringContaining("program") });
  const keyed = { url: "http://127.0.0.1:1/", headers: { authorization: "Bearer k" } };
  expect(await ended(keyed)).toMatchObject({ isDone: false, why: expect.stringContaining("key of its own") });
});
