import { expect, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { gone } from "../../test/hooked.ts";
import { said, served, server, starts, use } from "../../test/served.ts";
import { serverKey } from "./names.ts";

const names = (mcp: { tools(): readonly { definition: { name: string } }[] }) => [
  ...new Set(mcp.tools().map(({ definition }) => definition.name.split("__")[1])),
];
const inline = (name: string, config: Readonly<Record<string, unknown>> = server()) => ({
  kind: "inline" as const,
  name,
  config,
});
const reference = (name: string) => ({ kind: "reference" as const, name });

test("[MCP-01] [MCP-05] a child can use its parent's servers and its own, merged in the order of the configuration", async () => {
  const mcp = served({ zoo: server(), box: server() });
  const child = mcp.child([reference("box"), inline("own"), reference("nobody")]);
  expect(await child.missing(["zoo", "box", "own"])).toEqual([]);
  expect(names(child)).toEqual(["zoo", "box", "own"]);
  expect(names(mcp)).toEqual(["zoo", "box"]);
  expect(child.servers().map(({ name, state }) => [name, state])).toEqual([
    ["zoo", "connected"],
    ["box", "connected"],
    ["own", "connected"],
    ["nobody", "unknown"],
  ]);
});

test("[MCP-02] [MCP-03] [MCP-04] a child that ends closes the servers it opened and no other; a reference shares the connection", async () => {
  const mcp = served({ box: server() });
  await mcp.missing(["box"]);
  const [shared] = starts(mcp.cwd);
  const child = mcp.child([reference("box"), inline("own")]);
  const grandchild = child.child([inline("last")]);
  await grandchild.missing(["box", "own", "last"]);
  const pidOf = async (name: string) => said(await use(grandchild, `mcp__${name}__echo`, { words: name }));
  expect([await pidOf("box"), await pidOf("own"), await pidOf("last")]).toEqual(["box", "own", "last"]);
  expect(starts(mcp.cwd)).toHaveLength(3);
  const [, own = 0, last = 0] = starts(mcp.cwd);
  await child.close();
  await Promise.all([gone(own), gone(last)]);
  expect(said(await use(mcp, "mcp__box__echo", { words: "still here" }))).toBe("still here");
  expect(starts(mcp.cwd)).toEqual([shared, own, last]);
});

test("a server of a child's own stands before one of the same name that it inherits", async () => {
  const mcp = served({ box: server("good", { WHOSE: "parent" }) });
  const child = mcp.child([inline("box", server("good", { WHOSE: "child" }))]);
  await Promise.all([mcp.missing(["box"]), child.missing(["box"])]);
  const whose = async (scope: typeof mcp | typeof child) =>
    JSON.parse(said(await use(scope, "mcp__box__environment"))).WHOSE;
  expect([await whose(mcp), await whose(child)]).toEqual(["parent", "child"]);
  expect(child.tools()).toHaveLength(mcp.tools().length);
});

const cut = serverKey("a server with a name that is much too long");
test.each([
  ["the first", "a.b", "a_b.", "a.b"],
  ["the one whose name it is, wherever it stands", "github.", "github", "github"],
  [
    "the one whose name it is, also where the other's is cut to it",
    "a server with a name that is much too long",
    cut,
    cut,
  ],
])(
  "of two servers whose tools would have one name %s has it; the other is not opened, and says why",
  async (_, one, two, kept) => {
    const mcp = served({ [one]: server(), [two]: server() });
    const refused = kept === one ? two : one;
    expect(await mcp.missing([one, two])).toEqual([refused]);
    expect(mcp.servers().find(({ name }) => name === refused)).toMatchObject({
      state: "failed",
      problem: expect.stringContaining(JSON.stringify(kept)),
    });
    expect(mcp.servers().filter(({ name }) => name === kept)).toMatchObject([{ state: "connected" }]);
    expect(starts(mcp.cwd)).toHaveLength(1);
  },
);

test("an agent's own server takes no names of one that is there already and is called differently", async () => {
  const mcp = served({ github: server("good", { WHOSE: "the user" }) });
  const child = mcp.child([inline("github."), inline("gi.hub")]);
  expect(await child.missing(["github", "gi.hub"])).toEqual([]);
  expect(child.servers().find(({ name }) => name === "github.")).toMatchObject({ state: "failed" });
  expect(JSON.parse(said(await use(child, "mcp__github__environment"))).WHOSE).toBe("the user");
  const other = served({ "github.": server("good", { WHOSE: "the user" }) });
  const below = other.child([inline("github")]);
  await other.missing(["github."]);
  expect(JSON.parse(said(await use(below, "mcp__github__environment"))).WHOSE).toBe("the user");
});

test("a required server is waited for and no longer than it may take; others hold nothing up", async () => {
  const mcp = served({ mute: server("mute"), box: server() }, { connectTimeoutMs: 30_000 });
  expect(await mcp.missing(["b*", "*OX"])).toEqual([]);
  expect(mcp.servers().map(({ state }) => state)).toEqual(["connecting", "connected"]);
  const impatient = new AbortController();
  const waiting = mcp.missing(["mute", "*", "nobody"], impatient.signal);
  impatient.abort();
  expect(await waiting).toEqual(expect.arrayContaining(["mute", "nobody"]));
  const short = served({ mute: server("mute") }, { connectTimeoutMs: 100 });
  expect(await short.missing(["mute"])).toEqual(["mute"]);
});

test("tools that come and go later are told once, and what was taken stays as it was", async () => {
  const mcp = served({ box: server() });
  expect(mcp.tools()).toEqual([]);
  await mcp.missing(["box"]);
  expect(mcp.changes().added).toContain("mcp__box__echo");
  const taken = mcp.tools();
  const before = taken.length;
  expect(mcp.changes()).toEqual({ added: [], gone: [] });
  await use(mcp, "mcp__box__learn");
  await use(mcp, "mcp__box__forget");
  const seen = { added: [] as string[], gone: [] as string[] };
  await untilSeen("two changes of the tools", () => {
    const { added, gone: lost } = mcp.changes();
    seen.added.push(...added);
    seen.gone.push(...lost);
    return seen.added.length + seen.gone.length >= 2;
  });
  expect(seen).toEqual({ added: ["mcp__box__new_trick"], gone: ["mcp__box__nonsense"] });
  expect(taken).toHaveLength(before);
  expect(said(await use(mcp, "mcp__box__new_trick"))).toBe("tricked");
});

test("a signal closes everything", async () => {
  const ending = new AbortController();
  const mcp = served({ box: server() }, { signal: ending.signal });
  const child = mcp.child([inline("own")]);
  await child.missing(["box", "own"]);
  ending.abort();
  await Promise.all(starts(mcp.cwd).map(gone));
  expect(child.servers().map(({ state }) => state)).toEqual(["closed", "closed"]);
});
