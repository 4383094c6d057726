import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BackendDeps, chooseBackend, type SpawnSpec, troupeTeammate } from "@troupe/backends";
import { agentPresets } from "@troupe/backends/acp";
import { hostBackend } from "@troupe/backends/host";
import { inProcessBackend, type Opening, type TeammateSession } from "@troupe/backends/in-process";
import { processBackend } from "@troupe/backends/process";
import { tmuxBackend } from "@troupe/backends/tmux";
import { type Revision, TroupeError } from "@troupe/protocol";
import type { SessionEvent } from "@troupe/runtime";
import { type Ask, type Backend, teammateMessage, untilReady } from "@troupe/team";
import type { Call } from "../command.ts";
import { openStore, openTeam } from "../open.ts";
import { chosenStore } from "../store-choice.ts";
import { setVariables } from "./environment.ts";
import { definitionFlags, type GivenDefinitions } from "./given-definitions.ts";
import { openMember } from "./member.ts";

export interface BackendsWish {
  readonly call: Call;
  /**
   * The display mode of new teammates; those of other backends are watched and recovered all the
   * same.
   */
  readonly mode: string | undefined;
  readonly revision: Revision;
  /** The process that leads, where that is not this one. */
  readonly lead?: BackendDeps["lead"];
  /** Definitions of the command line, which teammates can be asked for by as well. */
  readonly definitions?: GivenDefinitions | undefined;
  /** The person at the lead's screen. */
  readonly ask: Ask;
  /** Told what happens in teammates that share this process. */
  readonly onEvent: (event: SessionEvent, teammate: string) => void;
}

/** A teammate that is not at work by then is ended. */
const readyMs = 30_000;

/** Some agents of others load for long. */
const agentReadyMs = 90_000;

/** A request that no host has taken by then is given up. */
const takenMs = 30_000;

/** Where the teammates of a session of this command run, the chosen one first. */
export function backendsOf(wish: BackendsWish): readonly Backend[] {
  const { call, mode, revision, definitions = {}, lead, ask, onEvent } = wish;
  const { root, environment: variables, note: warn } = call;
  const records = join(root, "troupe/backends");
  const environment = setVariables(call);
  // Of a teammate that is in no pane the lead's pane says nothing.
  const { TMUX_PANE: _, ...paneless } = environment;
  const main = join(dirname(fileURLToPath(import.meta.url)), "main.js");
  const command = [process.execPath, main] as const;
  const more = { rest: definitionFlags(definitions) };
  const common = {
    records,
    lead,
    warn,
    readyMs,
    ready: async ({ team, name }: SpawnSpec, signal: AbortSignal) =>
      untilReady(await openTeam(call, team), name, signal),
  };
  const all = [
    inProcessBackend({
      root,
      records,
      warn,
      open: (opening) => openInProcess({ ...call, environment: paneless }, opening, { definitions, ask, onEvent }),
    }),
    processBackend({ ...common, launch: troupeTeammate({ root, command, environment: paneless, more }) }),
    shown(
      tmuxBackend({
        ...common,
        environment: variables,
        launch: troupeTeammate({ root, command, environment, isSeen: true, more }),
      }),
      warn,
    ),
  ];
  const foreign = Object.keys(agentPresets).map((hosts) =>
    processBackend({
      ...common,
      name: `acp-${hosts}`,
      readyMs: agentReadyMs,
      launch: troupeTeammate({ root, command, environment: paneless, hosts }),
    }),
  );
  const elsewhere = onHosts(call, mode);
  const others = [...foreign, ...elsewhere].map(({ name }) => name);
  const { backend: chosen } = chooseBackend({ mode, revision, others, environment: variables });
  return [...all, ...foreign, ...elsewhere].sort((a, b) => Number(b.name === chosen) - Number(a.name === chosen));
}

/** Where this machine, as a host, runs a teammate of others. */
export const backendHere = (kind: "process" | "tmux", deps: BackendDeps, environment: Call["environment"]): Backend =>
  kind === "tmux" ? tmuxBackend({ ...deps, environment }) : processBackend(deps);

/** Those on other machines: `host`, or `host:` with the labels that theirs have to have. */
function onHosts(call: Call, mode: string | undefined): readonly Backend[] {
  const isAsked = mode !== undefined && /^host(:|$)/.test(mode);
  if (chosenStore(call).url === undefined) {
    if (!isAsked) return [];
    const message = "teammates on hosts need a team on PostgreSQL: name it with --store or TROUPE_STORE";
    throw new TroupeError("arguments_invalid", message, { backend: mode });
  }
  return [backendOnHosts(call, isAsked ? mode : "host")];
}

/** Teammates on the hosts of the store, with the labels that its name has behind a colon. */
export function backendOnHosts(call: Call, name: string): Backend {
  const labels = name.slice("host:".length).split(",");
  return hostBackend({
    name,
    labels: labels.filter((label) => label !== ""),
    environment: setVariables(call),
    takenMs,
    warn: call.note,
    async spawns() {
      const { spawns } = await openStore(call);
      if (spawns) return spawns;
      throw new TroupeError("store_closed", "the store has no hosts any more: run the command again");
    },
  });
}

/** Says once how a person comes to see teammates that are not on the screen already. */
function shown(backend: Backend, note: (message: string) => void): Backend {
  const told = new Set<string>();
  return {
    ...backend,
    async spawn(spec, signal) {
      const one = await backend.spawn(spec, signal);
      if (one.attach !== undefined && !told.has(one.attach)) note(`to see the teammates of ${one.team}: ${one.attach}`);
      if (one.attach !== undefined) told.add(one.attach);
      return one;
    },
  };
}

/** A session beside that of its lead, whose person answers for it. */
async function openInProcess(
  call: Call,
  { note, ...spec }: Opening,
  { definitions, ask, onEvent }: Pick<BackendsWish, "definitions" | "ask" | "onEvent">,
): Promise<TeammateSession> {
  const session = await openMember(
    { ...call, cwd: spec.cwd },
    {
      teamName: spec.team,
      agentName: spec.name,
      agentType: spec.agentType,
      agentColor: spec.color,
      model: spec.model,
      planModeRequired: spec.planModeRequired,
      permissionMode: spec.mode,
      sessionId: spec.sessionId,
      definitions,
      tools: spec.tools,
      disallowedTools: spec.disallowedTools,
      bridge: ask,
      onEvent(event) {
        onEvent(event, spec.name);
        if (event.kind === "state") note(event.state);
        if (event.kind === "question") note("needs_input");
        if (event.kind === "question_closed") note("working");
      },
    },
  );
  for (const problem of session.problems) call.note(`${spec.name}: ${problem}`);
  const { past, said, waiting } = session.journal.state();
  // What an earlier process was told stands in the journal.
  if (!past && said.length === 0 && waiting.length === 0) {
    const { lead = "team-lead" } = session.membership() ?? {};
    const text = teammateMessage({ from: lead, text: spec.prompt, timestamp: "" });
    session.tell(text, { origin: { kind: "teammate", name: lead } });
  }
  return session;
}
