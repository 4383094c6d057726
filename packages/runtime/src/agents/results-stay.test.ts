import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { changed, done, opened, settled, stage, turn } from "../../test/sessions.ts";
import { gate } from "../../test/team.ts";
import type { Session } from "../session/session.ts";

const revisions = ["2026-02", "2026-11"] as const;
const kinds = ["fails", "is stopped", "cannot be tidied up", "is sent away and fails"] as const;
const resultsIn = ({ transcript }: Session) =>
  readFileSync(transcript, "utf8")
    .split("\n")
    .filter((line) => line.includes('"tool_result"'));

test.each(revisions.flatMap((revision) => kinds.map((kind) => [revision, kind] as const)))(
  "[RES-09] in %s the result that a call was given stays as it is, byte for byte, when its agent %s later",
  async (revision, kind) => {
    const free = gate();
    const isSent = kind === "is sent away and fails";
    const isPlaced = kind === "cannot be tidied up";
    const call = toolUse("t1", "Agent", {
      description: "look",
      prompt: "task one",
      run_in_background: !isSent,
      ...(isPlaced && { isolation: "worktree" }),
    });
    const scene = stage(
      {
        "": [[call], done, done],
        "task one": [kind.endsWith("fails") ? { kind: "invalid", message: "no credit" } : [words("A report.")]],
      },
      { revision },
    );
    const shown: string[] = [];
    const model: typeof scene.deps.model = async function* (request, signal) {
      const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      if (JSON.stringify(request.messages[0]).includes("task one")) await Promise.race([free.opened, aborted]);
      yield* scene.deps.model(request, signal);
    };
    const path = join(scene.home, "place");
    mkdirSync(path);
    const fails = () => Promise.reject(new Error("the disk is full"));
    const workspaces = { open: async () => ({ path, leave: fails, release: fails }) };
    const session = opened(changed(scene.deps, { model, workspaces, show: (text) => void shown.push(text) }));
    await session.submit("go");
    for await (const event of session.run())
      if (isSent && event.kind === "entry" && event.entry.kind === "called") setImmediate(session.background);
    const before = resultsIn(session);
    expect(before).toHaveLength(1);
    expect(before[0]).toContain("works in the background");
    const [job] = session.jobs.all();
    if (kind === "is stopped") await job?.stop();
    free.open();
    await settled(session);
    const status = { fails: "failed", "is stopped": "killed", "cannot be tidied up": "completed" };
    expect(job?.status()).toBe(isSent ? "failed" : status[kind as keyof typeof status]);
    expect(shown.join().includes("was not cleaned up completely: the disk is full")).toBe(isPlaced);
    const { talk } = await turn(session);
    expect(resultsIn(session)).toEqual(before);
    expect(talk.join().match(/<task-notification>/g)).toHaveLength(1);
  },
);
