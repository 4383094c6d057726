import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { callBy } from "../../test/calls.ts";
import { gone } from "../../test/hooked.ts";
import { said, served, server, starts, use } from "../../test/served.ts";

const one = { box: server() };
const until = (is: () => boolean) => untilSeen(String(is), is);

test("tools come under mcp__server__tool with their schema, and what they say of themselves decides how they run", async () => {
  const mcp = served({ "my box": server() });
  expect(await mcp.missing(["my box"])).toEqual([]);
  const of = (name: string) => mcp.tools().find(({ definition }) => definition.name === `mcp__my_box__${name}`);
  expect(of("echo")?.definition).toEqual({
    name: "mcp__my_box__echo",
    description: "echo it",
    input_schema: expect.objectContaining({ type: "object", required: ["words"] }),
  });
  expect(of("echo")?.definition.input_schema).not.toHaveProperty("$schema");
  const manner = (name: string) => [of(name)?.isConcurrent({}), of(name)?.isReplayable, of(name)?.isReadOnly];
  expect([manner("echo"), manner("environment"), manner("hang")]).toEqual([
    [true, true, true],
    [false, true, false],
    [false, false, false],
  ]);
});

test("a call's answer comes back, its failure stays one, and what is too long is cut", async () => {
  const mcp = served(one);
  await mcp.missing(["box"]);
  expect(await use(mcp, "mcp__box__echo", { words: "hi" })).toEqual({
    content: [{ type: "text", text: "hi" }],
    isError: false,
  });
  expect(await use(mcp, "mcp__box__refuse")).toEqual({
    content: [{ type: "text", text: "the table is locked" }],
    isError: true,
  });
  for (const name of ["mcp__box__throw", "mcp__box__echo"]) expect((await use(mcp, name)).isError).toBe(true);
  expect(said(await use(mcp, "mcp__box__long"))).toMatch(/^x{100000}\n\(cut/);
  expect(said(await use(mcp, "mcp__box__nonsense"))).toBe("(no output)");
});

test("a server sees the environment it is given and nothing of ours; variables in its config are put in", async () => {
  const environment = { PATH: "/usr/bin:/bin", TOKEN: "secret" };
  const mcp = served({ box: server("good", { KEY: `\${TOKEN}`, LEVEL: `\${LEVEL:-low}` }) }, { environment });
  await mcp.missing(["box"]);
  const seen = JSON.parse(said(await use(mcp, "mcp__box__environment")));
  expect(seen).toEqual({ ...environment, KEY: "secret", LEVEL: "low" });
});

const unreachable: readonly [string, object, string][] = [
  ["needs a variable that is not set", server("good", { KEY: `\${NOWHERE}` }), "NOWHERE"],
  ["is no program", { command: "/no/such/server" }, "ENOENT"],
  ["is of a type of old", { type: "sse", url: "http://127.0.0.1/" }, "url with type http"],
  ["has no address", { url: "nowhere" }, "Invalid URL"],
  ["has no config", {}, "command"],
  ["ends at once", server("leaving"), "it ended with the exit code 1: no licence"],
  ["is killed", server("killed"), "it was ended by SIGKILL: almost there"],
  ["floods from the start", server("flooding"), "are not answers"],
  ["never answers", server("mute"), "timed out"],
  ["prints what is no message and nothing else", server("garbled"), 'not a message: "Welcome to the server!"'],
];

/** Of those that say nothing; where one is to speak first, it has the time to begin. */
const connectTimeouts = new Map([
  ["timed out", 200],
  ['not a message: "Welcome to the server!"', 3_000],
]);

test.each(unreachable)("a server that %s is failed, says why, and is missed", async (_, config, why) => {
  const mcp = served({ bad: config }, { connectTimeoutMs: connectTimeouts.get(why) ?? 30_000 });
  expect(await mcp.missing(["bad"])).toEqual(["bad"]);
  await until(() => mcp.servers()[0]?.state !== "connecting");
  expect(mcp.servers()[0]).toMatchObject({ name: "bad", state: "failed", problem: expect.stringContaining(why) });
});

test("a tool whose schema is none is left out and told of; the others are there, and a call that does not fit is not made", async () => {
  const mcp = served({ box: server("odd") });
  expect(await mcp.missing(["box"])).toEqual([]);
  expect(mcp.tools().map(({ definition }) => definition.name)).toEqual(["mcp__box__fine"]);
  expect(mcp.tools()[0]?.faultOf?.({ words: 7 })).toContain("string");
  const problem = expect.stringMatching(
    /left out: "wrong" \(its schema is not valid(.|\n)*"long" \(its schema is longer/,
  );
  expect(mcp.servers()).toMatchObject([{ name: "box", state: "connected", problem }]);
});

test("a server killed in mid-call fails that call alone, says so, and is there again for the next", async () => {
  const mcp = served({ box: server(), other: server() });
  await mcp.missing(["box", "other"]);
  const pid = Number(said(await use(mcp, "mcp__box__who")));
  const child = Number(said(await use(mcp, "mcp__box__breed")));
  const lost = use(mcp, "mcp__box__wait");
  await until(() => existsSync(join(mcp.cwd, "waiting")));
  process.kill(pid, "SIGKILL");
  await gone(child);
  expect(said(await lost)).toContain('"box" was lost during the call, and it is unknown whether the call took effect');
  expect(said(await use(mcp, "mcp__other__echo", { words: "fine" }))).toBe("fine");
  expect(said(await use(mcp, "mcp__box__echo", { words: "back" }))).toBe("back");
  expect(starts(mcp.cwd)).toHaveLength(3);
  expect(said(await use(mcp, "mcp__box__die"))).toContain("out of luck");
});

test("a server that hangs fails the call after its time; an abort cancels the call, and the server is told", async () => {
  const mcp = served(one, { callTimeoutMs: 200 });
  await mcp.missing(["box"]);
  expect(said(await use(mcp, "mcp__box__hang"))).toContain("did not answer within 0.2 s");
  const ending = new AbortController();
  const patient = served(one);
  await patient.missing(["box"]);
  const cancelled = use(patient, "mcp__box__wait", {}, ending.signal);
  await until(() => existsSync(join(patient.cwd, "waiting")));
  ending.abort();
  expect(await cancelled).toMatchObject({ isError: true });
  await until(() => existsSync(join(patient.cwd, "cancelled")));
  expect(said(await use(patient, "mcp__box__echo", { words: "on" }))).toBe("on");
});

test("lines that are no messages are passed over", async () => {
  const mcp = served(one);
  await mcp.missing(["box"]);
  expect(said(await use(mcp, "mcp__box__babble"))).toBe("still here");
});

test("a server that floods its output, or sends a message without end, is ended, and no other suffers", async () => {
  const mcp = served({ box: server(), other: server() });
  await mcp.missing(["box", "other"]);
  const pid = Number(said(await use(mcp, "mcp__box__who")));
  const flooded = use(mcp, "mcp__box__flood");
  expect(said(await use(mcp, "mcp__other__echo", { words: "fine" }))).toBe("fine");
  expect(said(await flooded)).toContain("bytes that are not answers");
  await gone(pid);
  expect(said(await use(mcp, "mcp__box__huge"))).toContain("a message of more than");
  expect(said(await use(mcp, "mcp__box__echo", { words: "back" }))).toBe("back");
});

test("a flood of complaints is read and dropped", async () => {
  const mcp = served(one);
  await mcp.missing(["box"]);
  expect(said(await use(mcp, "mcp__box__shout"))).toBe("heard");
  expect(said(await use(mcp, "mcp__box__echo", { words: "on" }))).toBe("on");
});

test.each(["good", "stubborn"])(
  "a %s server ends when it is closed, with what it started, and is not started again",
  async (manner) => {
    const mcp = served({ box: server(manner) });
    await mcp.missing(["box"]);
    const child = Number(said(await use(mcp, "mcp__box__breed")));
    const [pid = 0] = starts(mcp.cwd);
    const [tool] = mcp.tools();
    await mcp.close();
    await Promise.all([gone(child), gone(pid)]);
    expect(await tool?.run({ words: "hi" }, callBy(undefined))).toMatchObject({ isError: true });
    expect([mcp.servers()[0]?.state, starts(mcp.cwd)]).toEqual(["closed", [pid]]);
  },
);

test("a server that is closed while it connects leaves nothing behind", async () => {
  const mcp = served({ box: server("mute") });
  await until(() => existsSync(join(mcp.cwd, "starts")) && starts(mcp.cwd)[0] !== 0);
  await mcp.close();
  await gone(starts(mcp.cwd)[0] ?? 0);
});
