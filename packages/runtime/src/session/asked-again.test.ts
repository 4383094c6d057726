import { revisions } from "@troupe/protocol";
import { expect, test } from "vitest";
import { words } from "../../test/entries.ts";
import { member } from "../../test/members.ts";
import { crew, gate, until, waitingFor } from "../../test/team.ts";

const done = () => [words("done")];
test.each(revisions.flatMap((r) => (["permission", "plan"] as const).map((k) => [r, k] as const)))(
  "in %s a %s that a lead was asked about is asked about again by the lead that comes after it, and answered once",
  async (revision, kind) => {
    const all = await crew(revision, "alice");
    const looks = gate();
    const ask = async (_: unknown, signal: AbortSignal) => {
      looks.open();
      await new Promise((r) => signal.addEventListener("abort", r));
      return { behavior: "allow" } as const;
    };
    const lead = await member(all, "team-lead", done, { plans: "user", ask });
    const alice = await all.team.as("alice");
    if (kind === "permission")
      await alice.send("team-lead", {
        body: {
          type: "permission_request",
          request_id: "perm-1-aaaaaaa",
          agent_id: "alice",
          tool_name: "Bash",
          tool_use_id: "t1",
          description: "d",
          input: { command: "make" },
          permission_suggestions: [],
        },
      });
    else
      await alice.send("team-lead", {
        body: {
          type: "plan_approval_request",
          from: "alice",
          timestamp: "2026-02-13T10:43:07.887Z",
          requestId: "plan_approval-1770979387881@alice@crew",
          planFilePath: "/p/a-b-c.md",
          planContent: "x",
        },
      });
    await looks.opened;
    await lead.turn();
    expect(lead.heard()).toEqual([]);
    await lead.session.close();
    const again = await member(all, "team-lead", done, { plans: "user", ask: async () => ({ behavior: "allow" }) });
    await until(all.team, async () => (await waitingFor(all.team, "alice")).length > 0 || undefined);
    await until(all.team, async () => (await waitingFor(all.team, "team-lead")).length === 0 || undefined);
    await again.turn();
    expect(again.asked.length).toBe(1);
    expect(again.heard()).toEqual([]);
    expect((await waitingFor(all.team, "alice")).length).toBe(1);
  },
);
