import fc from "fast-check";
import { expect, test } from "vitest";
import { serverKey, toolNames } from "./names.ts";

const name = (server: string, tool: string) => toolNames(server, [tool]).get(tool);

test("names become what the API takes, and where the tool's own name begins stays in no doubt", () => {
  expect(name("github", "create_issue")).toBe("mcp__github__create_issue");
  expect(name("my server", "notes/read.all")).toBe("mcp__my_server__notes_read_all");
  expect(name("a__b_", "_x")).toBe("mcp__a_b___x");
  expect([serverKey("a__b_"), serverKey("___"), serverKey("数据")]).toEqual(["a_b", "server", "server"]);
});

test("tools whose names would fall together stay apart, the first with its plain name", () => {
  const names = [...toolNames("s", ["a.b", "a_b", "a b"]).values()];
  expect(names[0]).toBe("mcp__s__a_b");
  expect(new Set(names).size).toBe(3);
});

test("a tool that is called as it is shown keeps its name, wherever it stands in the list", () => {
  const names = toolNames("s", ["a.b", "a_b"]);
  expect(names.get("a_b")).toBe("mcp__s__a_b");
  const [lured = ""] = [...toolNames("s", ["a.b", "a_b"]).values()].filter((one) => one !== "mcp__s__a_b");
  const both = toolNames("s", ["a.b", "a_b", lured.replace("mcp__s__", "")]);
  expect(new Set(both.values()).size).toBe(3);
  expect(both.get(lured.replace("mcp__s__", ""))).toBe(lured);
});

test("the key of a server that is cut is the key of every other that is called like it", () => {
  const long = "a-server-with-a-very-long-name-indeed";
  expect(serverKey(long)).toHaveLength(32);
  expect(serverKey(serverKey(long))).toBe(serverKey(long));
  expect(name(long, "x")).toBe(`mcp__${serverKey(long)}__x`);
});

test("whatever servers and tools are called, every name is legal, one of a kind, and the same each time", () => {
  fc.assert(
    fc.property(fc.string(), fc.uniqueArray(fc.string({ maxLength: 90 }), { maxLength: 8 }), (server, tools) => {
      const names = [...toolNames(server, tools).values()];
      for (const one of names) expect(one).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/);
      expect(new Set(names).size).toBe(tools.length);
      expect([...toolNames(server, tools).values()]).toEqual(names);
    }),
  );
});
