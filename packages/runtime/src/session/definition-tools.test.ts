import { toolUse } from "@troupe/fake-anthropic";
import { revisions } from "@troupe/protocol";
import { expect, test } from "vitest";
import { awaited } from "../../../../scripts/awaited.ts";
import { add, company } from "../../test/company.ts";
import { turn } from "../../test/sessions.ts";

const looker = { tools: ["Read", "Grep", "Bash"], disallowedTools: ["Bash"] };
const sessionId = "b7f5edcc-0000-4000-8000-000000000001";

test.each(revisions)(
  "in %s a teammate has of its tools what its definition leaves, and always those by which it reaches its team",
  async (revision) => {
    const calls = [
      ...(revision === "2026-02" ? [toolUse("TeamCreate", { team_name: "crew" })] : []),
      add("ann", { subagent_type: "looker" }),
    ];
    const { lead, requestsOf, specs, sessions } = await company(
      { "": (_, nth) => (calls[nth] ? [calls[nth]] : "I wait.") },
      { revision, sessionId, gates: { isInteractive: true }, defined: { looker } },
    );
    await turn(lead, "go");
    await awaited("the end of ann's turn", lead.mail(AbortSignal.timeout(60_000)));
    expect(sessions.has("ann")).toBe(true);
    const names = (requestsOf("ann")[0]?.["tools"] as { name: string }[] | undefined)?.map(({ name }) => name) ?? [];
    expect(names).toEqual(expect.arrayContaining(["Read", "Grep", "SendMessage", "TaskList", "TaskUpdate"]));
    for (const taken of ["Bash", "Write", "Edit", "WebFetch", "Agent"]) expect(names).not.toContain(taken);
    expect(specs).toMatchObject([{ tools: ["Read", "Grep", "Bash"], disallowedTools: ["Bash"] }]);
  },
);
