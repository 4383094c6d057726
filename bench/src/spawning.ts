import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import { troupeTeammate } from "@troupe/backends";
import { inProcessBackend } from "@troupe/backends/in-process";
import { type MessagesRequest, startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";
import { openSession, type SessionDeps, seatOf } from "@troupe/runtime";
import { anthropicModel } from "@troupe/runtime/anthropic";
import { openFileStore } from "@troupe/store/files";
import { atMost, type Result, roundsOf } from "./measure.ts";

const main = fileURLToPath(new URL("../../apps/cli/dist/main.js", import.meta.url));

/**
 * P13: from the answer that calls Agent until the teammate's first request is at the API, against
 * the same program started bare.
 */
export async function spawning(): Promise<Record<string, Result>> {
  const results: Record<string, Result> = {
    "P13.in-process": atMost(5, await roundsOf(async () => (await besideLead()) - (await bareSession()), 9)),
  };
  for (const where of ["process", "tmux"])
    results[`P13.${where}`] = atMost(1.3, await roundsOf(async () => (await asCommand(where)) / (await bareProcess())));
  return results;
}

/** A model whose lead makes a team of ann, and the moments at which things were at the API. */
async function api() {
  const moments = new Map<"called" | "asked", number>();
  const server = await startFakeAnthropic({
    rule(request) {
      if (isAnn(request)) {
        if (!moments.has("asked")) moments.set("asked", performance.now());
        return "I did it.";
      }
      const said = JSON.stringify(request.messages);
      if (!said.includes("TeamCreate")) return [toolUse("TeamCreate", { team_name: "crew" })];
      if (said.includes("your part")) return "I wait.";
      moments.set("called", performance.now());
      return [toolUse("Agent", { name: "ann", description: "a part", prompt: "your part" })];
    },
  });
  const at = (moment: "called" | "asked") => moments.get(moment) ?? Number.NaN;
  return { server, at };
}

const isAnn = ({ system }: MessagesRequest) => JSON.stringify(system).includes("You are ann in the team crew");

/** A place that is gone afterwards. */
async function withPlace<T>(work: (cwd: string, root: string) => Promise<T>): Promise<T> {
  const cwd = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  try {
    return await work(cwd, join(cwd, ".claude"));
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function depsOf(url: string, cwd: string, root: string): SessionDeps {
  return {
    machine: { root, home: cwd, temporary: join(cwd, "tmp"), environment: {} },
    project: { cwd },
    role: "You work in a team.",
    model: anthropicModel({ client: new Anthropic({ baseURL: url, apiKey: "none" }), now: () => new Date() }),
    key: { model: "claude-haiku-5-5", betas: [] },
    person: { ask: async () => ({ behavior: "deny", message: "nobody is here" }) },
    store: openFileStore({ root }),
  };
}

/** A session of ann, with its first words. */
async function openAnn(deps: SessionDeps) {
  const team = await deps.store?.openTeam("crew");
  if (!team) throw new Error("there is no team crew");
  const session = openSession({ ...deps, seat: { ...(await seatOf(team, "ann")), isSpawned: true } });
  session.tell("your part");
  return session;
}

const besideLead = (): Promise<number> =>
  withPlace(async (cwd, root) => {
    const { server, at } = await api();
    const deps = depsOf(server.url, cwd, root);
    const open = () => openAnn(deps);
    const records = join(root, "troupe/backends");
    const backends = [inProcessBackend({ root, records, warn: console.error, open })];
    const lead = openSession({ ...deps, backends });
    await lead.submit("Do it as a team.");
    for await (const _ of lead.run());
    await lead.mail(AbortSignal.timeout(60_000));
    await lead.close();
    await server.close();
    return at("asked") - at("called");
  });

const bareSession = (): Promise<number> =>
  withPlace(async (cwd, root) => {
    const { server, at } = await api();
    const deps = depsOf(server.url, cwd, root);
    await makeTeam(cwd, root);
    const start = performance.now();
    const session = await openAnn(deps);
    for await (const _ of session.run());
    await session.close();
    await server.close();
    return at("asked") - start;
  });

async function makeTeam(cwd: string, root: string) {
  const of = { leadSessionId: "s", leadModel: "m", cwd, createdAt: Date.now() };
  const team = await openFileStore({ root }).createTeam({ ...of, name: "crew" });
  const joinedAt = Date.now();
  await team.join({ name: "ann", agentType: "general-purpose", model: "haiku", prompt: "your part", joinedAt, cwd });
  await (await team.as("team-lead")).send("ann", { text: "your part" });
}

const environmentOf = (url: string, cwd: string) => ({
  PATH: process.env["PATH"] ?? "",
  HOME: cwd,
  TMPDIR: cwd,
  TMUX_TMPDIR: cwd,
  ANTHROPIC_API_KEY: "of-no-use",
  ANTHROPIC_BASE_URL: url,
});

const bareProcess = (): Promise<number> =>
  withPlace(async (cwd, root) => {
    const { server, at } = await api();
    await makeTeam(cwd, root);
    const environment = environmentOf(server.url, cwd);
    const { file, args } = troupeTeammate({ command: [process.execPath, main], environment, root })({
      team: "crew",
      teamCreatedAt: 0,
      name: "ann",
      revision: "2026-02",
      leadSessionId: "s",
      agentType: "general-purpose",
      model: "haiku",
      prompt: "your part",
      mode: "default",
      planModeRequired: false,
      cwd,
      color: undefined,
      environment: {},
    });
    const start = performance.now();
    const child = spawn(file, args, { cwd, env: environment, stdio: "ignore" });
    while (Number.isNaN(at("asked"))) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill("SIGTERM");
    await once(child, "close");
    await server.close();
    return at("asked") - start;
  });

const asCommand = (where: string): Promise<number> =>
  withPlace(async (cwd, root) => {
    const { server, at } = await api();
    const args = [main, "-p", "Do it as a team.", "--backend", where, "--root", root];
    const child = spawn(process.execPath, args, { cwd, env: environmentOf(server.url, cwd), stdio: "ignore" });
    await once(child, "close");
    await server.close();
    return at("asked") - at("called");
  });
