import { expect, test } from "vitest";
import { bytesOf, type FrozenRequest, freeze, prefixHashes } from "./frozen.ts";

/** The hash of everything but the marks. */
const prefixHash = (request: Omit<FrozenRequest, "marks" | "maxTokens">) => prefixHashes(request).at(-1);
const request: FrozenRequest = {
  key: { model: "m", betas: [] },
  tools: ['{"name":"a"}', '{"name":"b"}'],
  system: ['{"type":"text","text":"s"}', '{"type":"text","text":"t"}'],
  messages: [{ role: "user", blocks: ['{"type":"text","text":"u"}', '{"type":"text","text":"{}"}'] }],
  marks: [],
  maxTokens: 9,
};

test("a request is its frozen parts, joined", () => {
  expect(bytesOf(request)).toBe(
    '{"max_tokens":9,"stream":true,"model":"m","tools":[{"name":"a"},{"name":"b"}],"system":[{"type":"text","text":"s"},{"type":"text","text":"t"}],"messages":[{"role":"user","content":[{"type":"text","text":"u"},{"type":"text","text":"{}"}]}]}',
  );
  const bare = JSON.parse(bytesOf({ ...request, tools: [], system: [], marks: ["system"] }));
  expect(Object.keys(bare)).toEqual(["max_tokens", "stream", "model", "messages"]);
});

test("what the key says stands in the body, but for the betas", () => {
  const key = {
    betas: ["b"],
    speed: "fast",
    effort: "low",
    model: "m",
    toolChoice: { type: "auto" },
    thinking: { type: "adaptive" },
  };
  expect(JSON.parse(bytesOf({ ...request, key }))).toMatchObject({
    model: "m",
    output_config: { effort: "low" },
    thinking: { type: "adaptive" },
    tool_choice: { type: "auto" },
    speed: "fast",
  });
  expect(bytesOf({ ...request, key })).not.toContain("betas");
});

test("a mark adds itself to its block and changes nothing else", () => {
  const mark = { type: "ephemeral" };
  const marked = JSON.parse(bytesOf({ ...request, marks: ["system", { message: 0, block: 1 }] }));
  expect(marked.system[1]).toEqual({ type: "text", text: "t", cache_control: mark });
  expect(marked.messages[0].content[1]).toEqual({ type: "text", text: "{}", cache_control: mark });
  delete marked.system[1].cache_control;
  delete marked.messages[0].content[1].cache_control;
  expect(marked).toEqual(JSON.parse(bytesOf(request)));
});

test("the hashes are one a position; marks and room for the answer do not count, all else does", () => {
  expect(prefixHashes(request)).toHaveLength(6);
  expect(prefixHash({ ...request, marks: ["system"], maxTokens: 1 } as FrozenRequest)).toBe(prefixHash(request));
  const others: Partial<FrozenRequest>[] = [
    { key: { model: "n", betas: [] } },
    { key: { model: "m", betas: ["b"] } },
    { key: { model: "m", betas: [], effort: "low" } },
    { tools: request.tools.toReversed() },
    { system: request.system.slice(1) },
    { messages: [{ role: "assistant", blocks: request.messages[0]?.blocks ?? [] }] },
    { messages: [{ role: "user", blocks: ['{"type":"text", "text":"u"}', freeze({ type: "text", text: "{}" })] }] },
  ];
  const hashes = others.map((other) => prefixHash({ ...request, ...other }));
  expect(new Set([prefixHash(request), ...hashes]).size).toBe(others.length + 1);
});

test("the order in which a key is told makes no other prefix", () => {
  const [one, other] = [
    { model: "m", effort: "low", betas: [] },
    { betas: [], effort: "low", model: "m" },
  ];
  expect(prefixHashes({ ...request, key: one })).toEqual(prefixHashes({ ...request, key: other }));
  expect(bytesOf({ ...request, key: one })).toBe(bytesOf({ ...request, key: other }));
});
