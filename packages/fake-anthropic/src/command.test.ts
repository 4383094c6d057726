import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, expect, test } from "vitest";
import { optionsOf } from "./command.ts";
import { startFakeAnthropic } from "./server.ts";

const dir = mkdtempSync(join(tmpdir(), "fake-anthropic-"));
afterAll(() => rmSync(dir, { recursive: true }));

function scriptOf(name: string, content: unknown): string {
  const file = join(dir, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

test("a script in a file is answered in order: a fault, blocks, a text", async () => {
  const overloaded = {
    kind: "refusal",
    status: 529,
    type: "overloaded_error",
    message: "Later",
    headers: { "retry-after": "0.001" },
  };
  const script = scriptOf("sound.json", [
    overloaded,
    [{ type: "tool_use", name: "Read", input: { path: "a" } }],
    "done",
  ]);
  const fake = await startFakeAnthropic(optionsOf(["--script", script]));
  const client = new Anthropic({ baseURL: fake.url, apiKey: "key" });
  const ask = { model: "claude-opus-5", max_tokens: 9, messages: [{ role: "user" as const, content: "x" }] };
  const answers = [await client.messages.create(ask), await client.messages.create(ask)];
  await fake.close();
  expect(answers.map(({ content }) => content)).toMatchObject([
    [{ name: "Read", input: { path: "a" } }],
    [{ text: "done" }],
  ]);
  expect(fake.requests.map(({ status }) => status)).toEqual([529, 200, 200]);
});

test("the command without arguments takes a free port and echoes; --help starts nothing", () => {
  expect(optionsOf([])).toEqual({ port: 0 });
  expect(optionsOf(["--port", "8123"])).toEqual({ port: 8123 });
  expect(optionsOf(["--help"])).toBeUndefined();
});

test.each([
  [["--port", "many"], /--port takes a number/],
  [["--port", "70000"], /--port takes a number/],
  [["--verbose"], /--verbose/],
  [["extra"], /extra/],
  [["--script", scriptOf("wrong.json", { replies: [] })], /must hold a list/],
])("%j are refused with a reason", (words, reason) => {
  expect(() => optionsOf(words)).toThrow(reason);
});
