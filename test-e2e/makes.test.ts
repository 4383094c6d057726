import { join } from "node:path";
import { expect, test } from "vitest";
import { main } from "./command-line.ts";
import { proveMakes } from "./interop/acp/makes.ts";
import { openLiveStage } from "./interop/acp/stage.ts";
import { openChecks } from "./interop/checks.ts";
import { describeWith } from "./require.ts";

const repository = join(import.meta.dirname, "..");

describeWith("python3", "makes", () => {
  test("a session, an MCP client, a Python program and an agent over ACP share one list of tasks: nothing is lost or forged", async () => {
    const agent = {
      called: "gemini",
      file: join(repository, "packages/backends/test/acp-agent.mjs"),
      settle: () => ({}),
    };
    const stage = await openLiveStage({ agents: { gemini: agent }, troupe: main, onAsked: () => {} });
    const checks = openChecks(() => {});
    await proveMakes({ stage, troupe: main, repository, agents: ["gemini"], perMember: 2 }, checks).finally(
      stage.close,
    );
    expect(checks.findings.map(({ what, state, note }) => (state === "works" ? state : `${what}: ${note}`))).toEqual(
      Array(4).fill("works"),
    );
  });
});
