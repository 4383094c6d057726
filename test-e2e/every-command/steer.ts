import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { withDefinitions } from "./rest.ts";
import type { Place, Seen, Trial } from "./trial.ts";

const team = "parser-team";
const person = { CLAUDECODE: "", TROUPE_TEAMMATE: "" };
const inboxAt = ({ root }: Place, name: string) => join(root, "teams", team, "inboxes", `${name}.json`);

export function say(place: Place, to: string, from: string, body: object): void {
  const path = inboxAt(place, to);
  const before = JSON.parse(readFileSync(path, "utf8"));
  const entry = { from, text: JSON.stringify(body), timestamp: "2026-02-13T10:43:07.887Z", read: false };
  writeFileSync(path, JSON.stringify([...before, entry]));
}

const asksPermission = (place: Place) =>
  say(place, "team-lead", "writer", {
    type: "permission_request",
    request_id: "perm-1770980462304-4uqstf5",
    agent_id: "writer",
    tool_name: "Bash",
    tool_use_id: "toolu_1",
    description: "Make a directory",
    input: { command: "mkdir build" },
    permission_suggestions: [],
  });

const handsInPlan = (place: Place) =>
  say(place, "team-lead", "writer", {
    type: "plan_approval_request",
    from: "writer",
    timestamp: "2026-02-13T10:43:07.887Z",
    planFilePath: "/home/dev/.claude/plans/calm.md",
    planContent: "1. Read the grammar",
    requestId: "plan_approval-1770979387887@writer@parser-team",
  });

/** Agrees to end as soon as it is asked to. */
async function agrees(place: Place, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const asked = JSON.parse(readFileSync(inboxAt(place, "reader"), "utf8")).flatMap(({ text }: { text: string }) =>
      text.startsWith("{") ? [JSON.parse(text)] : [],
    );
    const request = asked.findLast(({ type }: { type: string }) => type === "shutdown_request");
    if (request) {
      const { requestId } = request;
      return say(place, "team-lead", "reader", {
        type: "shutdown_approved",
        requestId,
        from: "reader",
        timestamp: "x",
      });
    }
    await pause(20);
  }
}

const answers = (prepare: (place: Place) => void, kind: string, more: Trial["options"] = {}): Trial => ({
  words: [team, "writer"],
  prepare,
  env: person,
  wrong: [
    [[team, "nobody"], 3, `no ${kind} request`],
    [["none", "writer"], 3, "there is no team none"],
  ],
  options: {
    note: {
      given: ["--note", "mind the gap"],
      shows: ({ file }: Seen) => file(`teams/${team}/inboxes/writer.json`).includes("mind the gap"),
    },
    ...more,
  },
});

export const steerTrials: Readonly<Record<string, Trial>> = {
  "permission list": { words: [team], prepare: asksPermission, wrong: [[["none"], 3, "no team none"]], options: {} },
  "permission allow": answers(asksPermission, "permission"),
  "permission deny": answers(asksPermission, "permission"),
  "plan show": {
    words: [team],
    prepare: handsInPlan,
    wrong: [
      [["none"], 3, "no team none"],
      [[team, "nobody"], 3, "no plan request is nobody"],
    ],
    options: {},
  },
  "plan approve": answers(handsInPlan, "plan", {
    mode: {
      given: ["--mode", "acceptEdits"],
      shows: ({ file }) => file(`teams/${team}/inboxes/writer.json`).includes("acceptEdits"),
    },
  }),
  "plan reject": answers(handsInPlan, "plan"),
  spawn: {
    words: [team, "ann", "--prompt", "-"],
    input: "do it",
    isDear: true,
    prepare: withDefinitions,
    wrong: [
      [[team, "ann"], 2, "--prompt"],
      [[team, "ann", "--prompt", " "], 2, "--prompt"],
      [["none", "ann", "--prompt", "x"], 3, "there is no team none"],
      [[team, "a/b", "--prompt", "x"], 2, '"a/b"'],
      [[team, "reader", "--prompt", "x"], 1, "reader"],
    ],
    options: {
      prompt: { given: ["--prompt", "Read all."], shows: (seen) => ann(seen).prompt === "Read all." },
      type: {
        given: ["--type", "poet"],
        shows: (seen) => ann(seen).agentType === "poet",
        wrong: [[[team, "ann", "--prompt", "x", "--type", "none"], 2, "troupe agents list"]],
      },
      model: {
        given: ["--model", "haiku"],
        shows: ({ document }) => document.model.includes("haiku"),
      },
      cwd: {
        given: ["--cwd", "src"],
        shows: (seen) => ann(seen).cwd.endsWith("/project/src"),
        wrong: [[[team, "ann", "--prompt", "x", "--cwd", "none"], 2, "is no directory"]],
      },
      backend: { elsewhere: "command-line-spawn.test.ts", runs: ['"--backend", "process"'] },
      host: { elsewhere: "hosts/one-host.test.ts", runs: ['"--host", "machine-0"', '"--host", "gpu"'] },
      acp: { elsewhere: "command-line-acp.test.ts", runs: ['"--acp", "gemini"'] },
      "permission-mode": {
        // A teammate that plans first works in another mode.
        words: [team, "ann", "--prompt", "x"],
        given: ["--permission-mode", "acceptEdits"],
        shows: ({ document }) => readFileSync(`/proc/${document.pid}/cmdline`, "utf8").includes("acceptEdits"),
      },
      "plan-mode-required": { given: ["--plan-mode-required"], shows: (seen) => ann(seen).planModeRequired === true },
    },
  },
  shutdown: {
    words: [team, "reader"],
    beside: agrees,
    wrong: [
      [[team, "nobody"], 3, "there is no nobody in parser-team"],
      [[team, "team-lead"], 1, "leads parser-team to its end"],
      [[team], 2, "name a member to shut down, or --all"],
      [[team, "reader", "--all"], 2, "--all"],
    ],
    options: {
      all: {
        words: [team, "--wait", "0"],
        given: ["--all"],
        status: 1,
        shows: ({ document }) => document?.members.length === 3,
        wrong: [[["parser", "--all"], 3, "did you mean parser-team?"]],
      },
      reason: {
        given: ["--reason", "that is it"],
        shows: ({ file }) => file(`teams/${team}/inboxes/reader.json`).includes("that is it"),
      },
      force: { elsewhere: "command-line-spawn.test.ts", runs: ['"--wait", "0", "--force"'] },
      wait: { elsewhere: "command-line-shutdown.test.ts", runs: ['"--wait", "2"', '"--wait", "long"'] },
    },
  },
  attach: {
    words: [team, "reader"],
    wrong: [
      [[team, "nobody"], 3, "there is no nobody in parser-team"],
      [[team, "checker"], 2, "checker has no pane of tmux"],
    ],
    options: {},
  },
};

const ann = ({ file }: Seen) =>
  JSON.parse(file(`teams/${team}/config.json`)).members.find(({ name }: { name: string }) => name === "ann") ?? {};
