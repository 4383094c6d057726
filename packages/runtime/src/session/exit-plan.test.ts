import { toolUse } from "@troupe/fake-anthropic";
import { askNobody } from "@troupe/team";
import { expect, test } from "vitest";
import { add, company } from "../../test/company.ts";
import { turn } from "../../test/sessions.ts";

const interactive = {
  revision: "2026-11",
  gates: { isInteractive: true },
  sessionId: "b7f5edcc-4a1c-4f0e-9b0d-3f1c2d4e5f60",
} as const;

test.each([
  [
    "beside its lead",
    { bridge: askNobody },
    /ExitPlanMode is not available inside subagents: you are not in plan mode/,
  ],
  ["in a process of its own", {}, /User has approved exiting plan mode/],
] as const)(
  "[ATP-PLN-101] in 2026-11 a teammate that need not plan waits for nobody: %s ExitPlanMode is answered at once, and plan mode of its own is left at once too",
  async (_, bridge, outside) => {
    const scene = await company(
      {
        "": (_, nth) => (nth === 0 ? [add("ann")] : "I wait."),
        ann: (_, nth) =>
          [[toolUse("ExitPlanMode", {})], [toolUse("EnterPlanMode", {})], [toolUse("ExitPlanMode", {})]][nth] ??
          "Done.",
      },
      { ...interactive, ...bridge },
    );
    await turn(scene.lead, "go");
    await scene.leads(() => scene.requestsOf("ann").length >= 4);
    const [first, , third] = scene
      .requestsOf("ann")
      .slice(1)
      .map(({ messages }) => JSON.stringify(messages.at(-1)?.content));
    expect(first).toMatch(outside);
    expect(third).toContain("User has approved exiting plan mode");
    const toldLead = scene.requestsOf("").map(({ messages }) => JSON.stringify(messages));
    expect(toldLead.join()).not.toContain("plan_approval");
  },
);
