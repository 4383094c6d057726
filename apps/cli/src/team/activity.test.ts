import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFileStore } from "@troupe/store/files";
import { expect, onTestFinished, test } from "vitest";
import type { Call } from "../command.ts";
import { paint } from "../paint.ts";
import { run } from "./show.ts";

test("troupe show says by each teammate the model that it was started with, and of one of its name before nothing", async () => {
  const root = mkdtempSync(join(tmpdir(), "troupe-show-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const draft = { name: "crew", leadSessionId: "s", leadModel: "m", createdAt: 1, cwd: "/p" };
  const team = await openFileStore({ root }).createTeam(draft);
  const lead = await team.as("team-lead");
  for (const [joinedAt, model] of [
    [1, "an-earlier-model"],
    [2, "claude-haiku-4-5"],
  ] as const) {
    await lead.record({ kind: "spawning", name: "ann", joinedAt });
    await team.join({ name: "ann", agentType: "worker", model: "inherit", prompt: "p", joinedAt, cwd: "/p" });
    await (await team.as("ann")).record({ kind: "idle" });
    await lead.record({ kind: "spawned", name: "ann", joinedAt, backend: "process", model, mode: "default" });
    if (joinedAt === 1) await team.leave("ann");
  }
  const call = { root, now: () => new Date(), args: { team: "crew" } } as unknown as Call<{ team: string }>;
  const { text = [] } = await run(call);
  const line = paint(text, { columns: Infinity, hasColor: false })
    .split("\n")
    .find((one) => one.includes("ann"));
  expect(line).toMatch(/ann +worker, claude-haiku-4-5 +idle/);
});
