import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { words } from "../../test/entries.ts";
import { hooked, never } from "../../test/hooked.ts";
import type { FrozenRequest } from "../model/frozen.ts";
import { scriptedModel } from "../model/scripted.ts";
import { askModel } from "./ask-model.ts";
import type { Ask } from "./prompt-hook.ts";

const call = { tool_name: "Bash", tool_input: { command: "ls $& $1" }, tool_use_id: "t1" };

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const posting = (url: string, more: object = {}) =>
  hooked({ PreToolUse: [{ hooks: [{ type: "http", url, ...more }] }] });

test("an http hook gets the event as JSON with its headers, and its answer decides", async () => {
  let seen: object | undefined;
  const url = await served(async (request, response) => {
    const body = (await request.toArray()).join("");
    seen = { method: request.method, key: request.headers["x-key"], event: JSON.parse(body) };
    const decision = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "frozen" };
    response.end(JSON.stringify({ hookSpecificOutput: decision }));
  });
  const { permission } = await posting(url, { headers: { "x-key": "k" } }).fire("PreToolUse", call, never);
  expect(permission).toEqual({ decision: "deny", reason: "frozen" });
  expect(seen).toMatchObject({ method: "POST", key: "k", event: { hook_event_name: "PreToolUse", ...call } });
});

const elsewhere: RequestListener = ({ url }, response) =>
  void response.writeHead(url === "/other" ? 200 : 307, { location: "/other" }).end('{"continue":false}');

const answers: readonly [string, RequestListener, string][] = [
  ["500", (_, response) => void response.writeHead(500).end('{"continue":false}'), "answered with status 500"],
  ["a redirect", elsewhere, "could not be reached"],
  ["two megabytes", (_, response) => void response.end("x".repeat(2 << 20)), "more than"],
  ["broken JSON", (_, response) => void response.end("{"), "begins like JSON"],
  ["a hang-up", ({ socket }) => void socket.destroy(), "could not be reached"],
  ["silence", () => {}, "took longer than 0.2 s"],
  ["half an answer", (_, response) => void response.write("{"), "took longer than 0.2 s"],
];

test.each(answers)("an http hook that answers with %s is an error, and the event passes", async (_, listener, why) => {
  const timeout = why.startsWith("took longer") ? 0.2 : 60;
  const { errors, ...rest } = await posting(await served(listener), { timeout }).fire("PreToolUse", call, never);
  expect(rest).toEqual({ context: [], messages: [] });
  expect(errors).toEqual([expect.stringContaining(why)]);
});

test("nobody listens, or the address is none: an error, and the event passes", async () => {
  for (const url of ["http://127.0.0.1:1/", "nowhere"])
    expect((await posting(url).fire("PreToolUse", call, never)).errors).toHaveLength(1);
});

test("an http hook is let go of when the event is cancelled", async () => {
  const ending = new AbortController();
  const url = await served(() => ending.abort());
  expect((await posting(url).fire("PreToolUse", call, ending.signal)).errors).toEqual([
    expect.stringContaining("was cancelled"),
  ]);
});

const judged = (ask: Ask, event = "SubagentStop", more: object = {}) =>
  hooked(
    { [event]: [{ hooks: [{ type: "prompt", prompt: "Done? $ARGUMENTS", model: "haiku", ...more }] }] },
    { ask },
  ).fire(event, call, never);

test("[HOOK-07] a prompt hook puts the event in the place of $ARGUMENTS, names its model, and ok lets it pass", async () => {
  let asked: Parameters<Ask>[0] | undefined;
  const outcome = await judged(async (question) => {
    asked = question;
    return '{"ok": true}';
  });
  expect(outcome).toEqual({ context: [], messages: [], errors: [] });
  expect(asked?.model).toBe("haiku");
  const [, event = ""] = /^Done\? (\{.*\})\n/.exec(asked?.prompt ?? "") ?? [];
  expect(JSON.parse(event)).toMatchObject({ hook_event_name: "SubagentStop", tool_input: call.tool_input });
});

test.each(['{"ok": false, "reason": "no tests"}', 'I looked.\n```json\n{"ok":false,"reason":"no tests"}\n```'])(
  "[HOOK-07] a prompt hook whose model answers %j blocks for its reason",
  async (words) => {
    expect((await judged(async () => words)).block).toBe("no tests");
    expect((await judged(async () => words, "PreToolUse")).permission).toEqual({
      decision: "deny",
      reason: "no tests",
    });
  },
);

test("what can never succeed keeps no agent from stopping, and still denies a call", async () => {
  const ask = async () => '{"ok": false, "reason": "no network", "impossible": true}';
  expect(await judged(ask)).toEqual({ context: [], messages: ["no network"], errors: [] });
  expect((await judged(ask, "PreToolUse")).permission?.decision).toBe("deny");
});

test.each<[string, Ask, string]>([
  ["says something else", async () => "yes, all done", "no verdict"],
  ["answers with another object", async () => '{"okay": true}', "no verdict"],
  ["fails", () => Promise.reject(new Error("overloaded")), "overloaded"],
  ["never answers", () => new Promise(() => {}), "took longer than 0.1 s"],
])("a prompt hook whose model %s is an error, and the event passes", async (_, ask, why) => {
  const { errors, block } = await judged(ask, "SubagentStop", { timeout: 0.1 });
  expect([errors, block]).toEqual([[expect.stringContaining(why)], undefined]);
});

test("a question is withdrawn when the event is cancelled", async () => {
  const ending = new AbortController();
  const ask: Ask = (_, signal) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      ending.abort();
    });
  const hooks = hooked({ Stop: [{ hooks: [{ type: "prompt", prompt: "Done?" }] }] }, { ask });
  expect((await hooks.fire("Stop", {}, ending.signal)).errors).toEqual([expect.stringContaining("was cancelled")]);
});

test("an agent hook asks the agent; a hook that nobody can run is an error", async () => {
  const handlers = [{ hooks: [{ type: "agent", prompt: "Judge" }] }];
  const runAgent: Ask = async () => '{"ok": false, "reason": "read the diff"}';
  expect((await hooked({ Stop: handlers }, { runAgent }).fire("Stop", {}, never)).block).toBe("read the diff");
  expect((await hooked({ Stop: handlers }).fire("Stop", {}, never)).errors).toHaveLength(1);
  const mcp = [{ hooks: [{ type: "mcp_tool", server: "memory", tool: "note" }] }];
  expect((await hooked({ Stop: mcp }).fire("Stop", {}, never)).errors).toEqual([expect.stringContaining("MCP")]);
});

test("a model is asked with the hook's words alone, by the id of the model that the hook names", async () => {
  const requests: FrozenRequest[] = [];
  const model = scriptedModel((request) => {
    requests.push(request);
    const isFirst = requests.length === 1;
    return isFirst ? [words('{"ok": false, "reason": "no tests"}')] : { kind: "overloaded", message: "try later" };
  });
  const ask = askModel({ model, idOf: (name) => `claude-${name}-9` });
  expect((await judged(ask)).block).toBe("no tests");
  const [request] = requests;
  expect([request?.key.model, request?.tools, request?.system, request?.messages.length]).toEqual([
    "claude-haiku-9",
    [],
    [],
    1,
  ]);
  expect(request?.messages[0]?.blocks[0]).toContain("Done? {");
  expect((await judged(ask)).errors).toEqual([expect.stringContaining("try later")]);
});
