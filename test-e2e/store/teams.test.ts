import { existsSync, readdirSync, readFileSync } from "node:fs";
import { colors, layoutOf, revisions, type TeamConfig } from "@troupe/protocol";
import type { Team } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import { describe, expect } from "vitest";
import { historyIn, isLinearisable, type Model } from "./history.ts";
import { saidBy, start, testInMemory as test } from "./processes.ts";

const draft = { createdAt: 1, leadSessionId: "b7f5edcc-898c-4e36-983f-1c2e8fec7d28", leadModel: "m", cwd: "/p" };
const mate = { agentType: "general-purpose", model: "m", prompt: "go", joinedAt: 2, cwd: "/p" };

describe.each(revisions)("%s", (revision) => {
  const make = (root: string): Promise<Team> => openFileStore({ root }).createTeam({ name: "t", revision, ...draft });

  test("[ATP-CFG-009] [ATP-LCK-003] [ATP-MEM-010] of eight processes that fill a team each joins whom it was told has joined, in colours by turn", async ({
    root,
  }) => {
    await make(root);
    const { config } = layoutOf(root).team("t");
    const read = () => JSON.parse(readFileSync(config, "utf8")) as TeamConfig;
    const eight = Array.from({ length: 8 }, (_, n) =>
      start("team-worker.mjs", { job: "join", root, name: `m${n}`, count: 8 }),
    );
    let seen = 0;
    const history = historyIn(
      await saidBy(eight, () => {
        const { members } = read();
        expect(members.length).toBeGreaterThanOrEqual(seen);
        seen = members.length;
      }),
    );
    const names = read().members.map(({ name }) => name);
    expect(names).toHaveLength(65);
    const roster: Model<number> = (joined, { input, output }) =>
      names[joined + 1] === input && output === colors[joined % colors.length] ? joined + 1 : undefined;
    expect(isLinearisable(history, 0, roster)).toBe(true);
    expect(readdirSync(layoutOf(root).team("t").directory)).toEqual(["config.json"]);
  });

  test("[ATP-FS-010] [ATP-FS-105] a team that is deleted while several processes write to it is gone, each of them hears so in clear words, and nothing of it comes back", async ({
    root,
  }) => {
    const layout = layoutOf(root);
    for (let round = 0; round < 2; round += 1) {
      const team = await make(root);
      for (const name of ["alice", "bob"]) await team.join({ name, ...mate });
      // Tasks outlive their team in the later revision, and so does who makes them.
      const jobs = ["send", "claim", "update", "pass", ...(revision === "2026-02" ? ["create"] : [])];
      const writers = jobs.map((job) => start("team-worker.mjs", { job, root, name: "alice" }));
      await Promise.all(writers.map((writer) => writer.heard(/under way/)));
      await openFileStore({ root }).deleteTeam("t", { evenIfActive: true });
      const ends = (await saidBy(writers)).map((said) => said.at(-1));
      for (const [n, end] of ends.entries()) expect(end, jobs[n]).toMatch(/^TroupeError /);
      expect(readdirSync(layout.teams)).toEqual([]);
      expect(existsSync(layout.team("t").tasks)).toBe(revision === "2026-11");
      expect(await openFileStore({ root }).listTeams()).toEqual([]);
    }
  });
});
