import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  type FakeAnthropicOptions,
  fault,
  type MessagesRequest,
  startFakeAnthropic,
  toolUse,
} from "@troupe/fake-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../scripts/awaited.ts";
import { ended, openTroupe } from "./command-line.ts";
import { describeWith } from "./require.ts";

const { home, root, begin } = openTroupe();

/** The names of the tools that this conversation has used, in their order. */
const usedIn = ({ messages }: MessagesRequest): string[] =>
  messages.flatMap(({ role, content }) =>
    role === "assistant" && Array.isArray(content)
      ? content.flatMap((block) => (block.type === "tool_use" ? [String(block.name)] : []))
      : [],
  );

/** A lead that makes a team of ann, hears of her work, lets her go and takes the team down. */
function lead(request: MessagesRequest, said: string) {
  const used = usedIn(request);
  const send = (message: object | string) => toolUse("SendMessage", { to: "ann", summary: "a word", message });
  if (!used.includes("TeamCreate")) return [toolUse("TeamCreate", { team_name: "crew" })];
  if (!used.includes("Agent"))
    return [
      toolUse("Agent", {
        description: "part A",
        prompt: "do part A",
        subagent_type: "general-purpose",
        name: "ann",
        team_name: "crew",
      }),
    ];
  if (said.includes("shutdown_approved"))
    return used.includes("TeamDelete") ? "All is done." : [toolUse("TeamDelete", {})];
  if (!said.includes("part A is finished") || used.includes("SendMessage")) return "I wait.";
  return [send({ type: "shutdown_request", reason: "the work is done" })];
}

/** A teammate that does its part, reports, and agrees to end. */
function ann(request: MessagesRequest, said: string) {
  const sent = usedIn(request).length;
  const [, id] = /request_?[iI]d[^a-z]*(shutdown-\d+@ann)/.exec(said) ?? [];
  const send = (message: object | string) => [toolUse("SendMessage", { to: "team-lead", summary: "a word", message })];
  if (sent === 0) return send("part A is finished");
  if (id !== undefined && sent === 1) return send({ type: "shutdown_response", request_id: id, approve: true });
  return "I have nothing to do.";
}

/** `troupe -p` as the lead, and how it ended. */
async function leadWith(
  where: string,
  rule: NonNullable<FakeAnthropicOptions["rule"]>,
  { args = [], ...more }: { args?: string[]; TMUX_TMPDIR?: string } = {},
) {
  const fake = await startFakeAnthropic({ rule });
  onTestFinished(() => fake.close());
  const cwd = mkdtempSync(join(home, "project-"));
  const environment = { ANTHROPIC_API_KEY: "of-no-use", ANTHROPIC_BASE_URL: fake.url, TMPDIR: cwd, ...more };
  const child = begin(["-p", "do it as a team", "--teammates", where, ...args], environment, cwd);
  child.stdin.end();
  const over = ended(child);
  return { fake, over: () => awaited("the end of the lead", over) };
}

test("[TEAM-04] in 2026-11 the session has a team without making one where teammates are asked for, and it goes with the session", async () => {
  const { fake, over } = await leadWith(
    "in-process",
    (request) => {
      if (/You are ann in the team session-/.test(JSON.stringify(request.system))) return "I did it.";
      if (!usedIn(request).includes("Agent"))
        return [toolUse("Agent", { description: "part A", prompt: "do part A", name: "ann" })];
      return JSON.stringify(request.messages).includes("idle_notification") ? "She is done." : "I wait.";
    },
    { args: ["--revision", "2026-11"] },
  );
  expect(await over()).toEqual({ status: 0, stdout: "She is done.\n", stderr: "" });
  expect(readdirSync(join(root, "teams"))).toEqual([]);
  const [first] = fake.requests.map(({ json }) => json as MessagesRequest);
  expect(JSON.stringify(first?.["tools"])).not.toContain("TeamCreate");
});

const isAnn = ({ system }: MessagesRequest) => JSON.stringify(system).includes("You are ann in the team crew");

function expectNothingLeft(): void {
  expect(existsSync(join(root, "teams/crew"))).toBe(false);
  expect(readdirSync(join(root, "troupe/backends"))).toEqual([]);
  expect(processesOf(root)).toEqual([]);
}

const roles = (request: MessagesRequest) => {
  const said = JSON.stringify(request.messages);
  return isAnn(request) ? ann(request, said) : lead(request, said);
};

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
      /^troupe: to see the teammates of crew: tmux -S \/\S+\/troupe attach -t '=troupe-crew-[0-9a-f]{6}'\n$/,
    );
    expectNothingLeft();
    await untilSeen("the end of the tmux server", () => processesOf("troupe-crew-").length === 0);
  });
});

test.each(["in-process", "process"])(
  "a lead that nobody talks to ends when its teammates (%s) are idle, and they end with it",
  async (where) => {
    const { over } = await leadWith(where, (request) =>
      isAnn(request) ? "I did it." : lead(request, JSON.stringify(request.messages)),
    );
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
    return lead(request, said);
  });
  await untilSeen("ann at work", () => fake.requests.some(({ json }) => isAnn(json as MessagesRequest)) || undefined);
  const [pid] = processesOf(root);
  process.kill(Number(pid), "SIGKILL");
  expect(await over()).toEqual({ status: 0, stdout: "She is gone.\n", stderr: "" });
  expectNothingLeft();
});

/** The ids of processes with these words on their command line. */
const processesOf = (words: string): string[] =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name) && commandLine(name).includes(words));

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
