import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, type Rule, startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";
import { expect, onTestFinished } from "vitest";
import { awaited, untilSeen } from "../scripts/awaited.ts";
import { ended, openTroupe } from "./command-line.ts";
import { processesOf } from "./processes.ts";

/** `troupe -p` as the lead of a team, with a home of its own. */
export function openLeads(...given: Parameters<typeof openTroupe>) {
  const troupe = openTroupe(...given);
  const { home, root, begin } = troupe;

  /** A project and a model for leads, one after the other, and for their teammates. */
  async function stage(rule: Rule, more: Readonly<Record<string, string>> = {}) {
    const fake = await startFakeAnthropic({ rule });
    onTestFinished(() => fake.close());
    const cwd = mkdtempSync(join(home, "project-"));
    const environment = { ANTHROPIC_API_KEY: "of-no-use", ANTHROPIC_BASE_URL: fake.url, TMPDIR: cwd, ...more };

    function lead(where: string, ...args: readonly string[]) {
      const child = begin(
        ["-p", "do it as a team", ...(where === "" ? [] : ["--backend", where]), ...args],
        environment,
        cwd,
      );
      child.stdin.end();
      const closed = ended(child);
      // What a lead that was killed left runs on with its output.
      const exited = new Promise((resolve) => child.on("exit", resolve));
      return { child, exited, over: () => awaited("the end of the lead", closed) };
    }
    return { fake, cwd, environment, lead };
  }

  return {
    ...troupe,
    stage,
    /** Resolves once the server of teammates in panes outside tmux has ended. */
    noServer: () =>
      untilSeen("the end of the tmux server", () => {
        const env = { PATH: process.env["PATH"], TMUX_TMPDIR: home };
        return spawnSync("tmux", ["-L", "troupe", "list-sessions"], { env, timeout: 10_000 }).status === 1;
      }),
    expectNothingLeft(): void {
      expect(existsSync(join(root, "teams/crew"))).toBe(false);
      expect(readdirSync(join(root, "troupe/backends"))).toEqual([]);
      expect(processesOf(root)).toEqual([]);
    },
  };
}

/** The names of the tools that this conversation has used, in their order. */
export const usedIn = ({ messages }: MessagesRequest): string[] =>
  messages.flatMap(({ role, content }) =>
    role === "assistant" && Array.isArray(content)
      ? content.flatMap((block) => (block.type === "tool_use" ? [String(block.name)] : []))
      : [],
  );

/** What a conversation was told, as it was told. */
export const toldTo = ({ messages }: MessagesRequest): string =>
  messages
    .flatMap(({ content }) =>
      typeof content === "string" ? [content] : content.flatMap(({ text }) => (typeof text === "string" ? [text] : [])),
    )
    .join("\n");

/** A lead that makes a team of ann, hears of her work, lets her go and takes the team down. */
export function leadOfAnn(request: MessagesRequest) {
  const said = JSON.stringify(request.messages);
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
export function ann(request: MessagesRequest) {
  const said = JSON.stringify(request.messages);
  const sent = usedIn(request).length;
  const [, id] = /request_?[iI]d[^a-z]*(shutdown-\d+@ann)/.exec(said) ?? [];
  const send = (message: object | string) => [toolUse("SendMessage", { to: "team-lead", summary: "a word", message })];
  if (sent === 0) return send("part A is finished");
  if (id !== undefined && sent === 1) return send({ type: "shutdown_response", request_id: id, approve: true });
  return "I have nothing to do.";
}

export const isAnn = ({ system }: MessagesRequest): boolean =>
  JSON.stringify(system).includes("You are ann in the team crew");
