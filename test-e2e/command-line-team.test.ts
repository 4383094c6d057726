import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fault, type MessagesRequest, type Rule, toolUse } from "@troupe/fake-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../scripts/awaited.ts";
import { ann, isAnn, leadOfAnn, openLeads, usedIn } from "./led-team.ts";
import { processesOf } from "./processes.ts";
import { describeWith } from "./require.ts";

const { home, root, stage, noServer, expectNothingLeft } = openLeads();

async function leadWith(where: string, rule: Rule, more = {}) {
  const { fake, lead } = await stage(rule, more);
  return { fake, over: lead(where).over };
}

test("[TEAM-04] in 2026-11 the session has a team without making one where teammates are asked for, and it goes with the session", async () => {
  const { fake, lead } = await stage((request) => {
    if (/You are ann in the team session-/.test(JSON.stringify(request.system))) return "I did it.";
    if (!usedIn(request).includes("Agent"))
      return [toolUse("Agent", { description: "part A", prompt: "do part A", name: "ann" })];
    return JSON.stringify(request.messages).includes("idle_notification") ? "She is done." : "I wait.";
  });
  const { over } = lead("in-process", "--revision", "2026-11");
  expect(await over()).toEqual({ status: 0, stdout: "She is done.\n", stderr: "" });
  expect(readdirSync(join(root, "teams"))).toEqual([]);
  const [first] = fake.requests.map(({ json }) => json as MessagesRequest);
  expect(JSON.stringify(first?.["tools"])).not.toContain("TeamCreate");
});

const roles: Rule = (request) => (isAnn(request) ? ann(request) : leadOfAnn(request));

test.each([
  ["", "process"],
  ["in-process", "in-process"],
])(
  "[TEAM-22] [TEAM-28] [ATP-BCK-011] with the setting teammateMode process and the flag %j a teammate runs in the backend %s",
  async (flag, backend) => {
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, "settings.json"), JSON.stringify({ teammateMode: "process" }));
    onTestFinished(() => rmSync(join(root, "settings.json")));
    const { fake, over } = await leadWith(flag, roles);
    expect(await over()).toEqual({ status: 0, stdout: "All is done.\n", stderr: "" });
    const told = fake.requests.map(({ body }) => body).join("\n");
    expect(told).toContain(`route: teammate in the team crew, backend ${backend} `);
    expectNothingLeft();
  },
);

test.each(["in-process", "process"])(
  "[LIFE-03] [TEAM-04] [TEAM-05] a lead makes a team, its teammate (%s) works, reports, is asked to end and ends, and nothing is left",
  async (where) => {
    const { over } = await leadWith(where, roles);
    expect(await over()).toEqual({ status: 0, stdout: "All is done.\n", stderr: "" });
    expectNothingLeft();
  },
);

describeWith("tmux", "a team in panes", () => {
  test("[TMUX-01] [TMUX-07] a teammate is the same program in a pane of its own; the person is told how to see it, and nothing is left", async () => {
    const { over } = await leadWith("tmux", roles, { TMUX_TMPDIR: home });
    const { stderr, ...end } = await over();
    expect({ ...end, stderr }).toMatchObject({ status: 0, stdout: "All is done.\n" });
    expect(stderr).toMatch(
      /^note: to see the teammates of crew: tmux -S \/\S+\/troupe attach -t '=troupe-crew-[0-9a-f]{6}'\n$/,
    );
    expectNothingLeft();
    await noServer();
  });
});

test.each(["in-process", "process"])(
  "a lead that nobody talks to ends when its teammates (%s) are idle, and they end with it",
  async (where) => {
    const { over } = await leadWith(where, (request) => (isAnn(request) ? "I did it." : leadOfAnn(request)));
    expect(await over()).toEqual({ status: 0, stdout: "I wait.\n", stderr: "" });
    expect(processesOf(root)).toEqual([]);
    expect(readdirSync(join(root, "troupe/backends"))).toEqual([]);
    rmSync(join(root, "teams/crew"), { recursive: true });
  },
);

test("[ATP-LIF-009] a teammate that dies without a word is noticed: the lead is told, its entry goes, and the team can be taken down", async () => {
  const { fake, over } = await leadWith("process", (request) => {
    const said = JSON.stringify(request.messages);
    if (isAnn(request)) return fault.stalled("I begin", 1);
    if (said.includes("ann has ended without a word"))
      return usedIn(request).includes("TeamDelete") ? "She is gone." : [toolUse("TeamDelete", {})];
    return leadOfAnn(request);
  });
  await untilSeen("ann at work", () => fake.requests.some(({ json }) => isAnn(json as MessagesRequest)) || undefined);
  const [pid] = processesOf(root);
  process.kill(Number(pid), "SIGKILL");
  expect(await over()).toEqual({ status: 0, stdout: "She is gone.\n", stderr: "" });
  expectNothingLeft();
});
