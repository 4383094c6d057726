import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { describeWith } from "../require.ts";

const directory = join(import.meta.dirname, "..");
const readme = readFileSync(join(directory, "../packages/backends/README.md"), "utf8");
const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code = ""]) => code);

describeWith("tmux", "the README of the backends", () => {
  test("its example of panes runs as it stands there, and leaves nothing", async () => {
    const root = mkdtempSync(join(realpathSync(tmpdir()), "readme-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const example = examples.find((code) => code.includes('"@troupe/backends/tmux"')) ?? "";
    const code = example.replaceAll("process.cwd()", JSON.stringify(root));
    const env = { PATH: process.env["PATH"] ?? "", HOME: root, TMUX_TMPDIR: root };
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", code], {
      cwd: directory,
      env,
      encoding: "utf8",
    });
    const [choice, pane] = stdout.split("\n");
    expect({ choice, stderr }).toEqual({ choice: "{ backend: 'tmux', why: 'tmux was asked for' }", stderr: "" });
    expect(pane).toMatch(new RegExp(`^%0 tmux -S ${root}/tmux-\\d+/troupe attach -t '=troupe-crew-[0-9a-f]{6}'$`));
    expect(readdirSync(join(root, "troupe/backends"))).toEqual([]);
    await untilSeen("the end of the server", () => {
      const own = readdirSync(root).find((name) => name.startsWith("tmux-"));
      return own === undefined || !existsSync(join(root, own, "troupe")) || isServerGone(join(root, own, "troupe"));
    });
  });
});

const isServerGone = (socket: string): boolean =>
  spawnSync("tmux", ["-S", socket, "list-sessions"], { stdio: "ignore" }).status !== 0;
