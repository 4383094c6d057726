import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const main = fileURLToPath(new URL("../packages/fake-anthropic/dist/main.js", import.meta.url));

test.each(["SIGTERM", "SIGINT"] as const)(
  "fake-anthropic prints where it answers, and ends well at %s",
  async (signal) => {
    const child = spawn(process.execPath, [main], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const [url] = await once(createInterface(child.stdout), "line");
      const messages = [{ role: "user", content: "hello" }];
      const body = JSON.stringify({ model: "claude-opus-5", max_tokens: 9, messages });
      const headers = { "x-api-key": "any", "anthropic-version": "2026-10-21" };
      const answer = await fetch(`${url}/v1/messages`, { method: "POST", body, headers });
      expect(await answer.json()).toMatchObject({ content: [{ text: "hello" }] });
      child.kill(signal);
      expect(await once(child, "exit")).toEqual([0, null]);
    } finally {
      child.kill("SIGKILL");
    }
  },
);
