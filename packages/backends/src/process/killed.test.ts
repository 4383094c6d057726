import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { awaited } from "../../../../scripts/awaited.ts";
import { crew, nothingRuns, onStage, specOf } from "../../test/process-stage.ts";

const lead = join(import.meta.dirname, "../../test/process-lead.mjs");
const graceMs = 1_000;

describe("a lead that is killed on the way to a teammate leaves nothing that its successor does not find", () => {
  async function killed(moment: string) {
    const { top, directory, file, launch, open } = onStage();
    const spec = specOf("ann");
    const isReady = file(spec, "ready");
    const given = JSON.stringify({ moment, directory, launch: launch(spec), spec, isReady });
    const child = spawn(process.execPath, [lead, given], { stdio: ["ignore", "pipe", "inherit"] });
    const over = new Promise((resolve) => child.once("close", resolve));
    await awaited("the lead's end", over);
    const backend = open();
    const { adopted } = await backend.recover(crew, new Set(["ann"]));
    for (const one of adopted) await backend.stop(one, graceMs);
    await nothingRuns(top);
    const files = existsSync(directory) ? readdirSync(directory) : [];
    // A record that was not whole is removed by a recovery a while later.
    return { adopted: adopted.length, left: files.filter((name) => !/\.json\.tmp\.\w+$/.test(name)) };
  }

  test.each([
    ["before record 1", 0],
    ["behind record 1", 0],
    ["before record 2", 0],
    ["behind record 2", 0],
    ["at ready", 0],
    ["before record 3", 0],
    ["behind record 3", 1],
    ["spawned", 1],
  ])("%s", async (moment, adopted) => {
    expect(await killed(moment)).toMatchObject({ adopted, left: [] });
  });
});
