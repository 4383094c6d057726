// A session asks before it does what no rule allows. What only reads passes; what is granted once
// is not asked again.   node examples/a-permission.mjs
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";
import { openSession } from "@troupe/runtime";
import { anthropicModel } from "@troupe/runtime/anthropic";

const home = mkdtempSync(join(tmpdir(), "example-"));
const cwd = join(home, "project");
mkdirSync(cwd);
const bash = (/** @type {string} */ command) => toolUse("Bash", { command });
const replies = [[bash("ls -a")], [bash("touch one.txt")], [bash("touch two.txt")], [bash("rm -rf .")], "That is all."];
const fake = await startFakeAnthropic({ replies });
const client = new Anthropic({ baseURL: fake.url, apiKey: "none" });

const session = openSession({
  machine: {
    root: join(home, ".claude"),
    home,
    temporary: join(home, "tmp"),
    environment: { PATH: String(process.env["PATH"]), HOME: home },
  },
  project: { cwd },
  role: "You are careful.",
  model: anthropicModel({ client, now: () => new Date() }),
  key: { model: "claude-haiku-5-5", betas: [] },
  person: {
    async ask({ tool, input, reason, suggestions }) {
      const { command } = /** @type {{ command: string }} */ (input);
      console.log(`${tool} wants to run: ${command} (${reason})`);
      if (command.startsWith("rm")) return { behavior: "deny", message: "keep your hands off that" };
      console.log("  allowed, and whatever is like it");
      return { behavior: "allow", updates: suggestions };
    },
  },
});

await session.submit("Make two files, and clean up.");
for await (const event of session.run())
  if (event.kind === "entry" && event.entry.kind === "result" && event.entry.isError)
    console.log(`  refused: ${String(event.entry.content[0]?.["text"]).split("\n")[0]}`);
console.log(
  "one.txt and two.txt are there:",
  ["one.txt", "two.txt"].every((name) => existsSync(join(cwd, name))),
);
await session.close();
await fake.close();
rmSync(home, { recursive: true });
