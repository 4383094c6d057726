import { toolUse } from "@troupe/fake-anthropic";
import { revisions } from "@troupe/protocol";
import { expect, test } from "vitest";
import { faked } from "../../test/faked.ts";
import { server } from "../../test/served.ts";
import { opened, settled, turn } from "../../test/sessions.ts";
import { openMcp } from "../mcp/mcp.ts";

test.each(revisions.flatMap((revision) => [false, true].map((isMcpWithheld) => [revision, isMcpWithheld] as const)))(
  "[LIM-02] [ASYNC-12] in %s agents in the background have the tools of MCP servers, unless they are withheld from them (%s); those that are waited for have them always",
  async (revision, isMcpWithheld) => {
    const names: Record<string, readonly string[]> = {};
    const told: Record<string, string> = {};
    const { deps, trust } = await faked(
      {
        rule: ({ messages, tools }) => {
          const task = String(messages[0]?.content[0]?.["text"]);
          if (task === "go")
            return messages.length > 1
              ? "Done."
              : [true, false].map((run_in_background) => {
                  const prompt = run_in_background ? "behind" : "in front";
                  return toolUse("Agent", { description: "look", prompt, run_in_background });
                });
          names[task] = (tools ?? []).map(({ name }) => String(name)).filter((name) => name.startsWith("mcp__"));
          if (messages.length === 1) return toolUse("mcp__box__echo", { words: "hello" });
          told[task] = JSON.stringify(messages.at(-1)?.content);
          return "Done.";
        },
      },
      {
        revision,
        openMcp,
        settings: { mcpServers: { box: server() } },
        gates: { isMcpWithheld },
        mode: "bypassPermissions",
        isBypassAvailable: true,
      },
    );
    trust();
    const session = opened(deps);
    await turn(session, "go");
    await settled(session);
    expect(names["in front"]).toContain("mcp__box__echo");
    expect(told["in front"]).toContain("hello");
    if (isMcpWithheld) {
      expect(names["behind"]).toEqual([]);
      expect(told["behind"]).toContain("here: agents in the background have no tools of MCP servers");
    } else {
      expect(names["behind"]).toEqual(names["in front"]);
      expect(told["behind"]).toContain("hello");
    }
  },
);
