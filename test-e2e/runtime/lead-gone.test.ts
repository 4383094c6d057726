import { once } from "node:events";
import { join } from "node:path";
import { revisions } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { expect } from "vitest";
import { start, test } from "../store/processes.ts";

const script = (name: string) => join(import.meta.dirname, name);

test.for(revisions)(
  "in %s a member works on beside a lead that is stopped, and its process is over once the lead is gone",
  async (revision, { root }) => {
    const lead = start(script("lead.mjs"), { root, revision });
    await lead.heard(/^leads/);
    const store = openFileStore({ root });
    const team = await store.openTeam("crew");
    const work = async () => void (await (await team?.as("team-lead"))?.send("ann", { text: "work", summary: "work" }));
    await work();
    const ann = start(script("teammate.mjs"), { root, revision });
    await ann.heard(/^turn completed/);
    lead.child.kill("SIGSTOP");
    await work();
    await ann.heard(/^turn completed/, 2);
    lead.child.kill("SIGKILL");
    await once(lead.child, "close");
    const isRecorded = revision === "2026-11" && process.platform === "linux";
    if (!isRecorded) {
      await work();
      await ann.heard(/^turn completed/, 3);
      await store.deleteTeam("crew", { evenIfActive: true });
    }
    const because = isRecorded
      ? `its process ${lead.child.pid}, which config.json records, has ended`
      : "the team has no config.json any more";
    expect((await ann.said).slice(-2)).toEqual([
      expect.stringContaining(`shown the lead team-lead of crew is gone (${because}): ann ends here; `),
      "ended",
    ]);
    expect(ann.child.exitCode).toBe(0);
  },
);
