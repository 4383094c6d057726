import { expect, test } from "vitest";
import { toolUse } from "../../test/entries.ts";
import { server } from "../../test/served.ts";
import { done, opened, stage, turn } from "../../test/sessions.ts";
import { openMcp } from "../mcp/mcp.ts";

test("a server that cannot be started is shown with its command, its exit code and its last words, and the model knows whose tools are missing", async () => {
  const shown: string[] = [];
  const secret = {
    ...server("leaving"),
    env: { KEY: "hidden" },
    args: [...server("leaving").args, `\${TOKEN:-hidden}`],
  };
  const scene = stage(
    { "": [done, done] },
    { openMcp, show: (message) => shown.push(message), settings: { mcpServers: { box: secret, fine: server() } } },
  );
  scene.trust();
  const session = opened(scene.deps);
  await turn(session, "go");
  await turn(session, "again");
  expect(shown).toEqual([
    expect.stringMatching(
      /^The MCP server "box" \(.*mcp-server\.mjs leaving \$\{TOKEN:-hidden\}\): (.|\n)*exit code 1: no licence; its tools are missing: check mcpServers/,
    ),
  ]);
  const system = scene.requests[0]?.system.join("\n");
  expect(system).toMatch(/# Missing tools\\n\\n.*\\"box\\"\. If you need/);
  expect(system).not.toContain("leaving");
  expect(scene.requests).toHaveLength(2);
});

test("where all servers are there nothing is said of them", async () => {
  const shown: string[] = [];
  const scene = stage(
    { "": [done] },
    { openMcp, show: (message) => shown.push(message), settings: { mcpServers: { fine: server() } } },
  );
  scene.trust();
  await turn(opened(scene.deps), "go");
  expect([shown, scene.requests[0]?.system.some((block) => block.includes("Missing tools"))]).toEqual([[], false]);
});

test("a call whose input does not fit the schema of the server is answered and never reaches it", async () => {
  const scene = stage(
    {
      "": [[toolUse("t1", "mcp__box__echo", { words: 7 }), toolUse("t2", "mcp__box__echo", { words: "hello" })], done],
    },
    { openMcp, settings: { mcpServers: { box: server() }, permissions: { allow: ["mcp__box"] } } },
  );
  scene.trust();
  const { talk } = await turn(opened(scene.deps), "go");
  expect(talk[2]).toMatch(/The input of mcp__box__echo is not valid:.*#\/words.*"is_error":true.*hello/);
});

test("an agent whose own server cannot be started works without it, and the person is told whose it was", async () => {
  const shown: string[] = [];
  const scene = stage(
    {
      "": [[toolUse("t1", "Agent", { description: "look", prompt: "task one", subagent_type: "looker" })], done],
      "task one": [done],
    },
    { openMcp, show: (message) => shown.push(message) },
  );
  scene.define("looker", { mcpServers: [{ own: server("leaving") }] });
  scene.trust();
  await turn(opened(scene.deps), "go");
  expect(shown).toEqual([expect.stringMatching(/^looker: The MCP server "own" .*exit code 1: no licence/s)]);
  expect(scene.requestsOf("task one")).toHaveLength(1);
});
