import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { openFileStore } from "@troupe/store/files";
import { expect, onTestFinished, test } from "vitest";
import { awaited } from "../../../../scripts/awaited.ts";
import type { Answer, Call } from "../command.ts";
import { run } from "./watch.ts";

const draft = { name: "t", leadSessionId: "s", leadModel: "m", cwd: "/" };

/** Watches a team from its first event on; `meanwhile` happens while that document is printed. */
async function watched(wanted: string, meanwhile: (store: ReturnType<typeof openFileStore>) => Promise<unknown>) {
  const root = mkdtempSync(join(tmpdir(), "watch-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const store = openFileStore({ root });
  const team = await store.createTeam({ ...draft, createdAt: 1 });
  await (await team.as("team-lead")).record({ kind: "idle" });
  const told: (object | undefined)[] = [];
  const call: Partial<Call<{ team: string }>> = {
    args: { team: "t" },
    root,
    now: () => new Date(),
    environment: {},
    stores: new Map(),
    signal: AbortSignal.timeout(60_000),
    streams: { input: new PassThrough(), output: new PassThrough() },
    async tell({ document }: Answer) {
      told.push(document);
      if ((document as { event?: unknown }).event === wanted) await meanwhile(store);
      else if (told.length === 1) void team.join({ ...mate, name: "ann" });
      return 0;
    },
  };
  const end = await awaited("the end of the watch", run(call as unknown as Call<{ team: string }>));
  return { told, end: end?.document };
}
const mate = { agentType: "a", model: "m", prompt: "", joinedAt: 1, cwd: "/" };

test("a team that is deleted before its history is followed is gone, which is no failure of the watch", async () => {
  const { end } = await watched("team", (store) => store.deleteTeam("t"));
  expect(end).toMatchObject({ event: "team_deleted" });
});

test("a team that is made again under its name between two looks is another one: the first is gone", async () => {
  const { told, end } = await watched("member_joined", async (store) => {
    await store.deleteTeam("t", { evenIfActive: true });
    await store.createTeam({ ...draft, createdAt: 2 });
  });
  expect(told.at(-1)).toMatchObject({ event: "member_joined", member: "ann" });
  expect(end).toMatchObject({ event: "team_deleted" });
});
