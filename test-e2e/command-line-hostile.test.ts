import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { isAgentName } from "@troupe/protocol";
import { expect, test } from "vitest";
import { untilSeen } from "../scripts/awaited.ts";
import { hostile } from "./backends/hostile-words.ts";
import { isAnn, openLeads, toldTo, usedIn } from "./led-team.ts";
import { processesOf } from "./processes.ts";
import { describeWith } from "./require.ts";

const { home, stage, expectNothingLeft } = openLeads();

/** Those that tools and names of agents do not refuse at once. */
const words = hostile.filter((word) => word.trim() !== "");

/** A lead that puts each word wherever a model can put one. */
function lead(request: MessagesRequest) {
  const used = usedIn(request);
  const said = JSON.stringify(request.messages);
  const agent = (name: string, prompt: string, description: string) =>
    toolUse("Agent", { name, prompt, description, team_name: "crew" });
  if (!used.includes("TeamCreate")) return [toolUse("TeamCreate", { team_name: "crew", description: words.join(" ") })];
  if (!used.includes("TaskCreate"))
    return words.map((word) => toolUse("TaskCreate", { subject: word, description: word, activeForm: word }));
  if (!used.includes("Agent"))
    return [
      ...words.filter((word) => !isAgentName(word)).map((word) => agent(word, "never begins", word)),
      agent("ann", words.join(" | "), words.join(" ")),
    ];
  if (!used.includes("SendMessage"))
    return words.map((word) => toolUse("SendMessage", { to: "ann", summary: word, message: word }));
  const reason = words.join(" ");
  if (said.includes("shutdown_approved"))
    return used.includes("TeamDelete") ? "All is done." : [toolUse("TeamDelete", {})];
  return used.filter((name) => name === "SendMessage").length > words.length
    ? "I wait."
    : [toolUse("SendMessage", { to: "ann", message: { type: "shutdown_request", reason } })];
}

function ann(request: MessagesRequest) {
  const [, request_id] = /request_?[iI]d[^a-z]*(shutdown-\d+@ann)/.exec(JSON.stringify(request.messages)) ?? [];
  const agreement = { type: "shutdown_response", request_id, approve: true };
  const isAsked = request_id !== undefined && !usedIn(request).includes("SendMessage");
  return isAsked ? [toolUse("SendMessage", { to: "team-lead", message: agreement })] : "I heard it.";
}

/** A team of this backend, and what its teammate was told at last. */
async function play(where: string): Promise<string> {
  const bin = join(home, `bin-${where}`);
  mkdirSync(bin);
  const trace = join(home, `pwned-${where}`);
  writeFileSync(join(bin, "pwn"), `#!/bin/sh\n: >'${trace}'\n`, { mode: 0o755 });
  const PATH = `${bin}${delimiter}${process.env["PATH"]}`;
  const rule = (request: MessagesRequest) => (isAnn(request) ? ann(request) : lead(request));
  const { fake, cwd, lead: begin } = await stage(rule, { PATH, TMUX_TMPDIR: home });
  const { status, stdout } = await begin(where).over();
  expect({ status, stdout }).toEqual({ status: 0, stdout: "All is done.\n" });
  expect([existsSync(trace), readdirSync(cwd)]).toEqual([false, []]);
  expectNothingLeft();
  execFileSync("sh", ["-c", "pwn"], { env: { PATH } });
  expect(existsSync(trace)).toBe(true);
  const requests = fake.requests.map(({ json }) => json as MessagesRequest);
  const refused = JSON.stringify(requests.filter((one) => !isAnn(one)).at(-1)?.messages);
  for (const word of words.filter((one) => !isAgentName(one)))
    expect(refused).toContain(JSON.stringify(word).slice(1, -1));
  return toldTo(requests.findLast(isAnn) as MessagesRequest);
}

const expectAll = (told: string) => {
  expect(told).toContain(words.join(" | "));
  for (const word of words) expect(told).toContain(`\n${word}\n`);
};

test.each(["in-process", "process"])(
  "words for shells and terminals in names, prompts, titles, subjects, summaries and bodies reach a teammate (%s) as they are, and nothing of them runs",
  async (where) => expectAll(await play(where)),
);

describeWith("tmux", "a pane", () => {
  test("words for shells, terminals and tmux in all places that a model fills reach a teammate in a pane as they are, and nothing of them runs", async () => {
    expectAll(await play("tmux"));
    await untilSeen("the end of the tmux server", () => processesOf("troupe-crew-").length === 0);
  });
});
