import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, type Rule, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { leadOfAnn, openLeads, toldTo, usedIn } from "../led-team.ts";
import { processesOf } from "../processes.ts";

const { home, stage, expectNothingLeft } = openLeads();
const script = join(import.meta.dirname, "../../packages/backends/test/acp-agent.mjs");
const mark = `--of=${home}`;

/** A directory of PATH in which an agent is called gemini. */
function agentInPath(): string {
  const directory = join(home, "bin");
  mkdirSync(directory, { recursive: true });
  const program = join(directory, "gemini");
  writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${script} ${mark} "$@"\n`);
  chmodSync(program, 0o755);
  return `${directory}:${process.env["PATH"]}`;
}

/** A lead whose ann is told to do this. */
const leadOf =
  (work: string) =>
  (request: MessagesRequest): ReturnType<typeof leadOfAnn> =>
    JSON.parse(JSON.stringify(leadOfAnn(request)).replace("do part A", work));

test.each(["2026-02"])(
  "%s: an agent of another make is a teammate: it takes its work, asks, mails its lead with the tools of the team, and ends",
  async () => {
    const { lead } = await stage(leadOf("do: mail"), { PATH: agentInPath() });
    const { over } = lead("acp-gemini");
    expect(await over()).toEqual({ status: 0, stdout: "All is done.\n", stderr: "" });
    expectNothingLeft();
    expect(processesOf(mark)).toEqual([]);
  },
);

test("an agent of another make that ends in its work is noticed, and its lead's model is told with its last words", async () => {
  const rule: Rule = (request) => {
    const used = usedIn(request);
    if (used.length < 2) return leadOf("do: die")(request);
    if (!toldTo(request).includes("has ended without a word")) return "I wait.";
    return used.includes("TeamDelete") ? "She is gone." : [toolUse("TeamDelete", {})];
  };
  const { fake, lead } = await stage(rule, { PATH: agentInPath() });
  expect(await lead("acp-gemini").over()).toMatchObject({ status: 0, stdout: "She is gone.\n" });
  expect(fake.requests.map(({ body }) => body).join("\n")).toContain("out of memory");
  await untilSeen("its end", () => processesOf(mark).length === 0);
  expectNothingLeft();
});
