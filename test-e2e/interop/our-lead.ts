import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { claudeTeammate } from "@troupe/backends";
import { processBackend } from "@troupe/backends/process";
import { tmuxBackend } from "@troupe/backends/tmux";
import { attendInteractive, openSession, openTrust, type Session } from "@troupe/runtime";
import { anthropicModel } from "@troupe/runtime/anthropic";
import { type Ask, untilHeard } from "@troupe/team";
import type { InstalledClient } from "./client.ts";
import { type Puppet, takeOver } from "./puppet.ts";
import type { Stage } from "./stage.ts";

export interface OurLead extends Puppet {
  readonly session: Session;
  /** What the session showed to its person. */
  readonly shown: readonly string[];
  close(): Promise<void>;
}

export interface OurLeadDeps {
  readonly where: "tmux" | "process";
  /** The person at its screen. */
  readonly ask: Ask;
  readonly areTeammatesPlanning?: boolean;
}

/** The client draws on a screen or ends at once: where a backend has none, python lends it one. */
const inTerminal = (command: InstalledClient["command"]): InstalledClient["command"] => [
  "/usr/bin/env",
  "python3",
  "-c",
  "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)",
  ...command,
];

/** A session of ours as a lead, whose teammates are processes of the client. */
export async function openOurLead(stage: Stage, { where, ask, areTeammatesPlanning }: OurLeadDeps): Promise<OurLead> {
  const { root, home, cwd, environment, client, store, agent } = stage;
  const shown: string[] = [];
  const show = (text: string) => void shown.push(text);
  const common = {
    records: join(root, "troupe/backends"),
    readyMs: 60_000,
    warn: show,
    launch: claudeTeammate({ command: where === "tmux" ? client.command : inTerminal(client.command), environment }),
    async ready({ team: name, name: member }: { readonly team: string; readonly name: string }, signal: AbortSignal) {
      const team = await store.openTeam(name);
      if (team) await untilHeard(team, member, signal);
    },
  };
  const backend =
    where === "tmux"
      ? tmuxBackend({ ...common, environment: { PATH: environment["PATH"], HOME: home }, socket: join(home, "own") })
      : processBackend(common);
  const { ANTHROPIC_BASE_URL: baseURL, ANTHROPIC_API_KEY: apiKey, PATH = "" } = environment;
  openTrust(root).trust(cwd);
  const session = openSession({
    machine: { root, home, temporary: join(home, "tmp"), environment: { PATH, HOME: home } },
    project: { cwd },
    role: "You lead.",
    model: anthropicModel({ client: new Anthropic({ baseURL, apiKey }), now: () => new Date() }),
    key: { model: "claude-opus-4-6", betas: [] },
    person: { ask, show },
    store,
    backends: [backend],
    options: { revision: client.revision, gates: { hasOwnTeam: true, isInteractive: true, areTeammatesPlanning } },
  });
  const over = new AbortController();
  const attending = (async () => {
    const given = { agent: session, signal: over.signal, mail: session.mail, uiFree: async () => {} };
    for await (const _ of attendInteractive(given));
  })();
  const puppet = await takeOver({
    agent: agent("team-lead"),
    type: async (text) => void (await session.submit(text)),
    look: async () => shown.join("\n"),
  });
  return {
    ...puppet,
    session,
    shown,
    async close() {
      over.abort();
      await attending.catch(show);
      await session.close();
    },
  };
}
