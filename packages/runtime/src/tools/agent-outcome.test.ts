import { type LoggedRequest, type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { revisions } from "@troupe/protocol";
import { expect, test } from "vitest";
import { faked } from "../../test/faked.ts";
import { opened, settled, turn } from "../../test/sessions.ts";
import { agentResult } from "./agent-outcome.ts";

const requestOf = ({ json }: LoggedRequest) => json as MessagesRequest;
const taskOf = ({ messages }: MessagesRequest) => String(messages[0]?.content[0]?.["text"]);
const resultIn = (request: MessagesRequest | undefined) =>
  JSON.stringify(request?.messages.at(-1)?.content.filter(({ type }) => type === "tool_result"));

/**
 * A main conversation and a boss that has nothing but the Agent tool each start somebody in the
 * background.
 */
async function launches(revision: (typeof revisions)[number], tools: readonly string[]) {
  const look = { description: "look around", prompt: "look" };
  const boss = { description: "lead it", prompt: "lead", subagent_type: "boss", run_in_background: false };
  const calls = [boss, { ...look, run_in_background: true }].map((input) => toolUse("Agent", input));
  const { deps, define, trust, fake } = await faked(
    {
      rule: (request) => {
        const turns = (request.messages.length - 1) / 2;
        if (taskOf(request) === "go") return calls[turns] ?? "Done.";
        return (taskOf(request) === "lead" && turns === 0 && calls[1]) || "Done.";
      },
    },
    { revision, gates: { maxDepth: 2 } },
  );
  define("boss", { tools });
  trust();
  const session = opened(deps);
  await turn(session, "go");
  await settled(session);
  const requests = fake.requests.map(requestOf);
  const told = (task: string, length: number) =>
    resultIn(requests.find((request) => taskOf(request) === task && request.messages.length === length));
  return { session, look, boss: told("lead", 3), main: told("go", 5) };
}

test.each(revisions)(
  "[RES-02] in %s a call that is not waited for comes to the agent's id, its task and its file, and says to read that only to who has a tool for it",
  async (revision) => {
    const { session, look, boss, main } = await launches(revision, ["Agent"]);
    const job = session.jobs.all().at(-1);
    if (!job) throw new Error("nobody was started");
    const began = {
      job,
      type: "general-purpose",
      model: "m",
      isOneShot: false,
      isFork: false,
      isPlaced: false,
      route: "",
    };
    for (const canReadOutput of [true, false])
      expect(await agentResult(look, { ...began, canReadOutput })).toEqual({
        status: "async_launched",
        agentId: job.id,
        ...look,
        outputFile: job.outputFile,
        canReadOutputFile: canReadOutput,
        resolvedModel: "m",
      });
    expect(main).toContain(`agentId: ${job.id}\\noutput_file: ${job.outputFile}`);
    expect(main).toContain("read the output file");
    expect(boss).toMatch(/agentId: a[0-9a-f]{16}\\noutput_file: /);
    expect(boss).toContain("wait for it.");
    expect(boss).not.toContain("read the output file");
    expect((await launches(revision, ["Agent", "Bash"])).boss).toContain("read the output file");
  },
);
