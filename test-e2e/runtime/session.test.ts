import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { awaited, untilSeen } from "../../scripts/awaited.ts";

const here = join(import.meta.dirname, "..");
const readme = readFileSync(join(here, "../packages/runtime/README.md"), "utf8");
const [, example = ""] = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code ?? "");

/** The example as a process, and a way to wait for its words. */
function start(home: string, cwd: string, url: string) {
  const script = join(here, `session-${process.pid}.mjs`);
  writeFileSync(script, example);
  const env = { PATH: process.env["PATH"], HOME: home, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "none" };
  const child = spawn(process.execPath, [script, "one"], { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  let said = "";
  let look = () => {};
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    look();
  });
  return {
    child,
    script,
    type: (line: string) => child.stdin.write(`${line}\n`),
    until: (words: string) =>
      awaited(
        words,
        new Promise<void>((resolve) => {
          look = () => {
            const at = said.indexOf(words);
            if (at < 0) return;
            said = said.slice(at + words.length);
            look = () => {};
            resolve();
          };
          look();
        }),
      ),
  };
}

test("the second example of the README edits a file after it asked, is interrupted, is killed, and goes on", async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-session-")));
  const cwd = join(home, "project");
  mkdirSync(cwd);
  const file = join(cwd, "version.txt");
  writeFileSync(file, "1.0.0\n");
  const fake = await startFakeAnthropic({
    replies: [
      [toolUse("Read", { file_path: file })],
      [toolUse("Edit", { file_path: file, old_string: "1.0.0", new_string: "1.1.0" })],
      [toolUse("Bash", { command: "sleep 60" })],
      [toolUse("Bash", { command: "sleep 61" })],
      "All is done.",
    ],
  });
  const first = start(home, cwd, fake.url);
  try {
    await first.until("> ");
    first.type("Raise the version.");
    await first.until("Edit: ");
    await first.until("Run it? [y/N] ");
    expect(readFileSync(file, "utf8")).toBe("1.0.0\n");
    first.type("y");
    await awaited("request 3", fake.received(3));
    await isRunning("sleep 60");
    expect(readFileSync(file, "utf8")).toBe("1.1.0\n");
    first.child.kill("SIGINT");
    await first.until("> ");
    first.type("Go on.");
    await awaited("request 4", fake.received(4));
    const left = await isRunning("sleep 61");
    first.child.kill("SIGKILL");
    await once(first.child, "close");
    try {
      // The test ends the process that a killed session had started,
      process.kill(left);
    } catch {
      // unless it was confined: then it ends with it.
    }
    const second = start(home, cwd, fake.url);
    await second.until("All is done.");
    await second.until("> ");
    second.child.kill("SIGKILL");
    await once(second.child, "close");
    type Sent = { readonly messages: readonly { content: { type: string; content?: unknown }[] }[] };
    const { messages } = (fake.requests.at(-1)?.json ?? { messages: [] }) as Sent;
    const results = messages.flatMap(({ content }) => content.filter(({ type }) => type === "tool_result"));
    expect(results.map((result) => JSON.stringify(result.content))).toEqual([
      expect.stringContaining("1.0.0"),
      expect.stringContaining("Changed line 1"),
      expect.stringContaining("Interrupted"),
      expect.stringContaining("it is unknown whether it took effect"),
    ]);
  } finally {
    first.child.kill("SIGKILL");
    rmSync(first.script, { force: true });
    rmSync(home, { recursive: true });
    await fake.close();
  }
});

/** Resolves with its id once a process with these words runs. */
const isRunning = (words: string): Promise<number> =>
  untilSeen(`the process ${words}`, async () => {
    const listing = spawn("ps", ["-eo", "pid,args"]);
    let text = "";
    for await (const chunk of listing.stdout) text += chunk;
    const found = text.split("\n").find((line) => line.trim().replace(/^\d+ /, "") === words);
    return found !== undefined && Number.parseInt(found, 10);
  });
