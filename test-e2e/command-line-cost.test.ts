import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { openTroupe } from "./command-line.ts";
import { usedIn } from "./led-team.ts";
import { teammateProcesses } from "./teammate-process.ts";

const troupe = openTroupe();
const { json, told, refusal } = troupe;
const annIn = teammateProcesses(troupe);

test("what a member has used stands in its transcript and is summed up, and a team without transcripts says so", async () => {
  const { root, lead, leadHears, fake } = await annIn("2026-02", {
    rule: (asked: MessagesRequest) => (usedIn(asked).length < 2 ? [toolUse("TaskList", {})] : "Done."),
  });
  const at = ["--root", root];
  expect(json("cost", ["cost", ...at])).toMatchObject({ team: "crew", members: [], forks: [], total: { requests: 0 } });
  await lead.send("ann", { text: "Look." });
  await leadHears("idle_notification");
  const { members, total } = json("cost", ["cost", ...at]);
  expect(members).toMatchObject([{ name: "ann", agents: 0, requests: fake.requests.length }]);
  expect(fake.requests).toHaveLength(3);
  expect(members[0].usage.output).toBeGreaterThan(0);
  expect(members[0].cost).toBeGreaterThan(0);
  expect(total).toEqual({ requests: 3, usage: members[0].usage, cost: members[0].cost });
  expect(told("cost", "cr", ...at)).toMatch(
    /^ {2}ann {2}\$0\.\d{4} {2}3 requests {2}\d+k? tokens sent, \d+ % from the cache/,
  );
  expect(refusal(3, ["cost", "none", ...at])).toContain("there is no team none");
});
