import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeWith } from "./require.ts";

describeWith("tmux", "tmux on this machine", () => {
  test("it runs a command in a detached pane of a server of its own, and shows what it printed", () => {
    const dir = mkdtempSync(join(tmpdir(), "troupe-tmux-"));
    // tmux runs commands with the user's login shell, which on a build machine may be one that
    // refuses to.
    const env = { ...process.env, SHELL: "/bin/sh" };
    const tmux = (...args: readonly string[]) =>
      execFileSync("tmux", ["-f", "/dev/null", "-S", join(dir, "socket"), ...args], {
        encoding: "utf8",
        env,
        timeout: 60_000,
      });

    tmux("new-session", "-d", "-s", "troupe", "echo on stage; tmux wait-for -S printed; cat");
    onTestFinished(() => {
      tmux("kill-server");
      rmSync(dir, { recursive: true });
    });
    tmux("wait-for", "printed");
    expect(tmux("capture-pane", "-p", "-t", "troupe")).toContain("on stage");
  });
});
