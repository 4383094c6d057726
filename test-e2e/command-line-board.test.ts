import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MessageDraft } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../scripts/awaited.ts";
import { main, openTroupe } from "./command-line.ts";
import { describeWith } from "./require.ts";

const { home, root, told, json } = openTroupe();
const own = openTroupe();

describeWith("tmux", "the board of all live teams", () => {
  test("it shows members with their state and last line, tasks, and what waits for a person first; a key answers it, and another leaves", async () => {
    told("team", "create", "alpha");
    told("team", "join", "alpha", "ann");
    told("team", "create", "beta");
    told("task", "create", "alpha", "Read it");
    told("task", "create", "alpha", "Test \u001b[2J it", "--blocked-by", "1");
    const team = await openFileStore({ root }).openTeam("alpha");
    const ann = await team?.as("ann");
    await ann?.record({ kind: "tool", phase: "began", call: "t0", tool: "Grep" });
    const tmux = (...args: readonly string[]) =>
      execFileSync("tmux", ["-f", "/dev/null", "-S", join(home, "socket"), ...args], { encoding: "utf8" });
    const shown = () => tmux("capture-pane", "-p", "-t", "board");
    const sees = (words: string) => untilSeen(`${words} on the board`, () => shown().includes(words));
    const complaints = join(home, "complaints");
    const env = `env -u CLAUDECODE -u TROUPE_TEAMMATE HOME='${home}' NO_COLOR=1`;
    tmux(
      "new-session",
      "-d",
      "-s",
      "board",
      "-x",
      "100",
      "-y",
      "30",
      `${env} '${process.execPath}' '${main}' watch 2> '${complaints}'; sleep 600`,
    );
    onTestFinished(() => void tmux("kill-server"));
    await sees("nothing waits for you");
    await sees("runs Grep");
    const request: MessageDraft = {
      type: "permission_request",
      request_id: "perm-1",
      agent_id: "ann",
      tool_name: "Bash",
      tool_use_id: "t1",
      description: "it makes a file",
      input: { command: "touch made" },
      permission_suggestions: [],
    };
    await ann?.record({ kind: "permission", id: "perm-1", phase: "asked", tool: "Bash", reason: "it makes a file" });
    await ann?.send("team-lead", { body: request });
    await sees("WAITS FOR YOU");
    const lines = shown().split("\n");
    expect(lines[0]).toMatch(/^troupe watch {2}2 live teams {2}1 request for you/);
    expect(lines.find((line) => line.startsWith(">"))).toMatch(/^> alpha ann asks to use Bash: it makes a file/);
    expect(lines).toContain("    command: touch made");
    expect(lines.some((line) => /^ {2}ann {2}needs input \d+ s {2} asks for a permission$/.test(line))).toBe(true);
    expect(lines.some((line) => /^ {4}#2 pending {2}Test .{1,3}\[2J it {2}waits for #1$/.test(line))).toBe(true);
    expect(lines).toContain("beta");
    tmux("send-keys", "-t", "board", "a");
    const answered = () => json("inbox", ["inbox", "alpha", "ann"]).messages;
    await untilSeen("the answer", () => answered().length > 0);
    expect(answered()).toMatchObject([
      { kind: "permission_response", body: { request_id: "perm-1", subtype: "success" } },
    ]);
    await ann?.record({ kind: "permission", id: "perm-1", phase: "allowed" });
    await sees("allowed for ann");
    await sees("nothing waits for you");
    for (const [key, line] of Array.from(
      { length: 6 },
      () =>
        [
          ["j", "> ann"],
          ["k", "> team-lead"],
        ] as const,
    ).flat()) {
      tmux("send-keys", "-t", "board", key);
      await sees(line);
    }
    const planContent = Array.from({ length: 11 }, (_, at) => `- point ${at}`).join("\n");
    const plan = { from: "ann", timestamp: new Date().toISOString(), planFilePath: "/p/a-b-c.md", planContent };
    const requestId = "plan_approval-1770979387887@ann@alpha";
    await ann?.send("team-lead", { body: { type: "plan_approval_request", ...plan, requestId } });
    await sees("WAITS FOR YOU");
    // What is chosen stays chosen by its place: a member, until the keys go up.
    tmux("resize-window", "-t", "board", "-x", "60", "-y", "12");
    // A terminal tells of its size some time later: once it has, head and foot are on the screen.
    const isAllThere = (all: string) =>
      all.split("\n").length <= 13 && /^troupe watch/.test(all) && /q leave/.test(all);
    await untilSeen("the board on twelve rows", () => isAllThere(shown()));
    tmux("send-keys", "-t", "board", "k", "k", "k", "a");
    await sees(`too long to be shown here: troupe plan approve`);
    tmux("resize-window", "-t", "board", "-x", "60", "-y", "30");
    await sees("- point 10");
    tmux("send-keys", "-t", "board", "a");
    await untilSeen("the approval", () => answered().length > 1);
    tmux("send-keys", "-t", "board", "q");
    await untilSeen("the end of the board", () => !shown().includes("troupe watch"));
    expect(readFileSync(complaints, "utf8")).toBe("");
  });
});

test("without a terminal the watch of no named team follows the usual one", async () => {
  own.told("team", "create", "only");
  const { until, child, closed } = own.live("watch", "--json");
  expect(JSON.parse(await until(() => true))).toMatchObject({ event: "team", team: { name: "only" } });
  child.kill("SIGINT");
  expect(await closed).toEqual([130, null]);
});
