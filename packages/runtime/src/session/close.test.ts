import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { toolUse } from "../../test/entries.ts";
import { gone, isAlive } from "../../test/hooked.ts";
import { server, starts } from "../../test/served.ts";
import { done, opened, stage, turn } from "../../test/sessions.ts";
import { crew, gate } from "../../test/team.ts";
import { openMcp } from "../mcp/mcp.ts";
import type { SessionDeps } from "./session.ts";

const hook = (command: string, more: object = {}) => [{ hooks: [{ type: "command", command, ...more }] }];
const agent = (more: object) => toolUse("t1", "Agent", { description: "look around", prompt: "task one", ...more });

/** A model that never answers a conversation with this word in it, until its signal fires. */
function silentTo(word: string, deps: SessionDeps) {
  const asked = gate();
  const model: SessionDeps["model"] = async function* (request, signal) {
    if (JSON.stringify(request.messages[0]).includes(word) && !signal.aborted) {
      asked.open();
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    }
    yield* deps.model(request, signal);
  };
  return { asked: asked.opened, deps: { ...deps, model } };
}

test("the end of a session ends the turn that runs, and the model is asked for nothing more", async () => {
  const scene = stage({ "": [done] });
  const { deps, asked } = silentTo("go", scene.deps);
  const session = opened(deps);
  const running = turn(session, "go");
  await asked;
  await session.close();
  expect((await running).terminal).toMatchObject({ isOk: false, why: "aborted", reason: "shutdown" });
  expect(scene.requests).toHaveLength(1);
});

test("a call that runs ends with the session, with its process", async () => {
  const { deps, cwd, requests } = stage(
    { "": [[toolUse("t1", "Bash", { command: "echo $$ > pid.new; mv pid.new pid; sleep 100" })], done] },
    { mode: "bypassPermissions", isBypassAvailable: true },
  );
  const session = opened(deps);
  const running = turn(session, "go");
  await untilSeen("the file pid", () => existsSync(join(cwd, "pid")));
  await session.close();
  expect((await running).terminal).toMatchObject({ reason: "shutdown" });
  await gone(Number(readFileSync(join(cwd, "pid"), "utf8")));
  expect(requests).toHaveLength(1);
});

test("agents in the background end with the session, and nobody is told", async () => {
  const scene = stage({ "": [[agent({ run_in_background: true })], done], "task one": [done] });
  const { deps, asked } = silentTo("task one", scene.deps);
  const session = opened(deps);
  await turn(session, "go");
  await asked;
  const before = scene.requestsOf("").length;
  await session.close();
  expect(session.jobs.all().map((job) => [job.status(), job.end()?.failure])).toEqual([
    ["killed", "it was stopped (shutdown)"],
  ]);
  expect([session.queue.waiting(), scene.requestsOf("").length]).toEqual([[], before]);
});

test("hooks of SessionEnd run once, before servers and other hooks end, however often a session is closed", async () => {
  const { deps, cwd, trust } = stage(
    { "": [done] },
    {
      openMcp,
      settings: {
        mcpServers: { box: server() },
        hooks: {
          UserPromptSubmit: hook("echo $$ > left.new; mv left.new left; sleep 100", { async: true }),
          SessionEnd: [...hook(`kill -0 $(cat left) && kill -0 $(cat starts) && cat >> ended`)],
        },
      },
    },
  );
  trust();
  const session = opened(deps);
  await turn(session, "go");
  await untilSeen("the file left", () => existsSync(join(cwd, "left")));
  const pids = [Number(readFileSync(join(cwd, "left"), "utf8")), ...starts(cwd)];
  expect(pids.map(isAlive)).toEqual([true, true]);
  await Promise.all([session.close(), session.close()]);
  await session.close();
  expect(readFileSync(join(cwd, "ended"), "utf8").match(/"hook_event_name":"SessionEnd"/g)).toHaveLength(1);
  for (const pid of pids) await gone(pid);
});

test("a turn that somebody holds in the middle does not hold up the end, and what it would write is refused with the file", async () => {
  const { deps, requests } = stage({ "": [done] });
  const session = opened(deps);
  await session.submit("go");
  const held = session.run();
  await held.next();
  await session.close();
  const closed = { code: "document_unwritable", message: expect.stringContaining(`${session.transcript} is closed`) };
  await expect(held.next()).rejects.toMatchObject(closed);
  session.tell("go on");
  await expect(session.run().next()).rejects.toMatchObject(closed);
  expect(requests).toEqual([]);
});

test("what a lead was asked and had not answered when its session ended is not answered any more", async () => {
  const { team, inboxOf } = await crew("2026-11", "ann");
  const [shown, answered] = [gate(), gate()];
  let taken: AbortSignal | undefined;
  const { deps } = stage(
    { "": [] },
    {
      revision: "2026-11",
      async ask(_, signal) {
        taken = signal;
        shown.open();
        await answered.opened;
        return { behavior: "allow" };
      },
    },
  );
  const lead = opened({ ...deps, seat: { team, self: await team.as("team-lead"), lead: "team-lead" } });
  const about = {
    agent_id: "ann",
    tool_name: "Bash",
    tool_use_id: "u1",
    description: "list",
    input: { command: "ls" },
  };
  const request = { type: "permission_request" as const, request_id: "perm-1-aaaaaaa", permission_suggestions: [] };
  await (await team.as("ann")).send("team-lead", { body: { ...request, ...about } });
  await shown.opened;
  await lead.close();
  expect(taken?.aborted).toBe(true);
  answered.open();
  await new Promise(setImmediate);
  expect(existsSync(inboxOf("ann"))).toBe(false);
  // The inbox is free for the next lead.
  await (await (await team.as("team-lead")).receive()).release();
});
