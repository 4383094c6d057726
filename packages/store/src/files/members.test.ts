import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { codecFor, layoutOf, revisions, type TeamConfig } from "@troupe/protocol";
import { describe, expect } from "vitest";
import { mate, test } from "../../test/scratch.ts";
import { openTeamFiles } from "./team.ts";

describe.each(revisions)("%s", (revision) => {
  const codec = codecFor(revision);
  const open = (root: string) => {
    const layout = layoutOf(root).team("t");
    mkdirSync(dirname(layout.config), { recursive: true });
    if (!existsSync(layout.config)) {
      const team = codec.newTeam({ name: "t", createdAt: 1, leadSessionId: "s", leadModel: "m", cwd: "/p" });
      writeFileSync(layout.config, codec.write(team));
    }
    return {
      config: layout.config,
      roster: openTeamFiles({ name: "t", layout, codec, now: () => new Date(), newId: () => crypto.randomUUID() }),
    };
  };
  const onDisk = (config: string) => JSON.parse(readFileSync(config, "utf8")) as TeamConfig;

  test("[ATP-CFG-009] [ATP-MEM-010] thirty teammates that join at once are all there, the first eight in colours of their own", async ({
    root,
  }) => {
    const { config } = open(root);
    const names = Array.from({ length: 30 }, (_, n) => `a${n}`);
    await Promise.all(names.map((name) => open(root).roster.join(mate(name))));
    const { members } = onDisk(config);
    expect(members.map(({ name }) => name)).toEqual(["team-lead", ...names]);
    expect(new Set(members.slice(1, 9).map(({ color }) => color)).size).toBe(8);
    expect(members[9]?.color).toBe("blue");
    expect(readdirSync(dirname(config))).toEqual(["config.json"]);
  });

  test("[ATP-CFG-010] of two that join under one name one is refused, and nothing is written for it", async ({
    root,
  }) => {
    const { config, roster } = open(root);
    const ends = await Promise.allSettled(["carol", "Carol"].map((name) => roster.join(mate(name))));
    expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(onDisk(config).members).toHaveLength(2);
  });

  test("[ATP-MEM-015] who leaves is gone from the config, and leaving twice changes nothing", async ({ root }) => {
    const { config, roster } = open(root);
    await roster.join(mate("carol"));
    expect(await roster.updateMember("carol", { tmuxPaneId: "%1", backendType: "tmux" })).toBe(true);
    expect(onDisk(config).members[1]).toMatchObject({ tmuxPaneId: "%1", backendType: "tmux" });
    expect([await roster.leave("carol"), await roster.leave("carol"), await roster.updateMember("carol", {})]).toEqual([
      true,
      false,
      false,
    ]);
    expect(onDisk(config).members.map(({ name }) => name)).toEqual(["team-lead"]);
  });

  test("[ATP-CFG-008] what others wrote into the config survives joins and leaves", async ({ root }) => {
    const { config, roster } = open(root);
    const foreign = { ...onDisk(config), future: [1], members: [...onDisk(config).members, { odd: true }] };
    writeFileSync(config, JSON.stringify(foreign));
    await roster.join(mate("carol"));
    await roster.leave("carol");
    expect(onDisk(config)).toEqual(foreign);
  });

  test("[ATP-CFG-013] a config that cannot be read is reported, and nothing is written over it", async ({ root }) => {
    const { config, roster } = open(root);
    for (const text of ["{ nope", '{"name":"t","members":']) {
      writeFileSync(config, text);
      expect((await roster.config()).problems.length).toBeGreaterThan(0);
      await expect(roster.join(mate("carol"))).rejects.toMatchObject({ code: "document_unwritable" });
      expect(readFileSync(config, "utf8")).toBe(text);
    }
  });

  test("the process that leads is recorded where the revision has a place for it, and nothing else changes", async ({
    root,
  }) => {
    const { config, roster } = open(root);
    const { leadProcess: _, ...before } = onDisk(config);
    const leadProcess = { pid: 7, pidSpace: "here", claimedAt: 8, procStart: "9" };
    expect(await roster.claim(leadProcess)).toBe(revision === "2026-11");
    expect(onDisk(config)).toEqual(revision === "2026-11" ? { ...before, leadProcess } : before);
  });

  test("a team has no fixed end: whoever comes hundredth is a member like the first", async ({ root }) => {
    const { roster } = open(root);
    for (let n = 1; n <= 100; n += 1) await roster.join(mate(`a${n}`));
    expect((await roster.config()).value?.members).toHaveLength(101);
    await (await roster.as("team-lead")).send("a100", { text: "hello" });
    expect((await roster.mail("a100").page()).value).toHaveLength(1);
  });
});
