import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BackendDeps, troupeTeammate } from "@troupe/backends";
import { type Asked, type Checkout, type Launching, specOf } from "@troupe/backends/host";
import type { Team } from "@troupe/store";
import { untilReady } from "@troupe/team";
import type { Call } from "../command.ts";
import { openTeam } from "../open.ts";
import { backendHere } from "../session/backends.ts";
import { setVariables } from "../session/environment.ts";

interface LaunchDeps {
  readonly kind: "process" | "tmux";
  readonly directory: string;
  readonly records: string;
  /** The store as one start may write it. */
  readonly urlOf: (start: string) => string;
}

/** A teammate that is not at work by then is ended. */
const readyMs = 60_000;

/** Starts teammates of others on this machine, each with a connection of its own start. */
export function launchOn(call: Call, { kind, directory, records, urlOf }: LaunchDeps) {
  return async (asked: Asked, checkout: Checkout): Promise<Launching> => {
    const { team: teamName, member: name, epoch } = asked;
    const start = epoch ?? "";
    const team = await openTeam(call, teamName);
    const brief = join(directory, "briefs", `${name.replaceAll(/[^A-Za-z0-9_-]/g, "-")}-${start}.txt`);
    mkdirSync(dirname(brief), { recursive: true, mode: 0o700 });
    writeFileSync(brief, await briefOf(asked, checkout, team), { mode: 0o600 });
    // An earlier start of it has said that it is ready as well.
    const last = await lastIn(team);
    const main = join(dirname(fileURLToPath(import.meta.url)), "main.js");
    const { TMUX_PANE: _, ...environment } = setVariables(call);
    const program = {
      root: call.root,
      command: [process.execPath, main] as const,
      environment,
      more: { rest: ["--brief", brief] },
      isSeen: kind === "tmux",
    };
    const common: BackendDeps = {
      launch: troupeTeammate(program),
      ready: async (_spec, signal) => untilReady(team, name, signal, last),
      readyMs,
      records,
      warn: call.note,
    };
    const spec = {
      ...specOf(asked),
      team: teamName,
      name,
      cwd: checkout.cwd,
      environment: { TROUPE_STORE: urlOf(start) },
    };
    const backend = backendHere(kind, common, call.environment);
    return { backend, spec };
  };
}

async function lastIn(team: Pick<Team, "history">): Promise<string | undefined> {
  let last: string | undefined;
  for await (const { id } of team.history()) last = id;
  return last;
}

/** Its first instruction, with what only its host knows. */
async function briefOf(asked: Asked, { cwd, branch }: Checkout, team: Pick<Team, "tasks">): Promise<string> {
  const { tasks } = await team.tasks.list();
  const own = tasks.filter(({ owner, status }) => owner === asked.member && status === "in_progress");
  const open = own.map(({ id, subject }) => `#${id} ${subject}`).join(", ");
  return [
    specOf(asked).prompt,
    `You work on another machine than your lead, in ${cwd}: no file there is seen by the others.`,
    ...(branch === undefined
      ? []
      : [`Commit what you do: it is pushed to the branch ${branch}. Name that branch when you report.`]),
    ...(asked.starts > 1
      ? [
          "You were started before, on a machine that was lost, and remember nothing of it. What was committed there is here as far as it was pushed.",
        ]
      : []),
    ...(open === "" ? [] : [`These tasks are yours and in progress, perhaps half done: ${open}.`]),
  ].join("\n\n");
}
