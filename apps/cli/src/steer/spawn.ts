import { resolve } from "node:path";
import { agentNamed } from "@troupe/backends/acp";
import { startOf } from "@troupe/process";
import { type LeadProcess, type PermissionMode, TroupeError } from "@troupe/protocol";
import { askNobody, createSpawner } from "@troupe/team";
import type { Answer, Call } from "../command.ts";
import { actor, openTeam } from "../open.ts";
import { backendsOf } from "../session/backends.ts";
import { assertKey } from "../session/environment.ts";
import { runningLead } from "../team/liveness.ts";
import { graceMs, teammateSpec } from "./teammate.ts";

interface SpawnOptions {
  readonly prompt?: string;
  readonly type?: string;
  readonly model?: string;
  readonly cwd?: string;
  readonly backend?: "process" | "tmux" | "host";
  readonly host?: readonly string[];
  readonly acp?: string;
  readonly "permission-mode"?: PermissionMode;
  readonly "plan-mode-required"?: boolean;
}

type SpawnCall = Call<{ team: string; name: string }, SpawnOptions>;

/** Starts a teammate in the lead's name; a lead that runs goes on with it as with its own. */
export async function run(call: SpawnCall): Promise<Answer> {
  const { options, args, environment } = call;
  const prompt = options.prompt === "-" ? await call.read() : (options.prompt ?? "");
  if (prompt.trim() === "")
    throw new TroupeError(
      "arguments_invalid",
      "a teammate needs something to do: say it with --prompt TEXT, or --prompt -",
    );
  if (options.acp !== undefined) assertAgent(options, environment);
  const team = await openTeam(call, args.team);
  const { value: config } = await team.config();
  if (!config) throw new TroupeError("document_invalid", `the config of ${team.name} cannot be read: troupe doctor`);
  const self = await actor(team, undefined);
  const revision = team.form === "2026-11" ? team.form : "2026-02";
  const usual = environment["TMUX"] ? "tmux" : "process";
  const mode = options.acp === undefined ? (elsewhere(options) ?? options.backend ?? usual) : `acp-${options.acp}`;
  const leadProcess = runningLead(call.root, config);
  const lead = leadProcess && (await identityOf(leadProcess));
  const backends = backendsOf({ call, mode, revision, ask: askNobody, onEvent: () => {}, lead });
  const spawner = createSpawner({ team, self, backends, now: call.now, graceMs });
  const spec = teammateSpec(call, config, revision, {
    name: args.name,
    prompt,
    type: options.type,
    // An agent of others has a model of its own.
    model: options.acp ?? options.model,
    mode: options["permission-mode"],
    planModeRequired: options["plan-mode-required"],
    cwd: resolve(call.cwd, options.cwd ?? "."),
  });
  const { model } = spec;
  // A host has a key of its own.
  if (options.acp === undefined && elsewhere(options) === undefined) assertKey(environment);
  const { one } = await call.quietly(spawner.spawn(spec, mode, call.signal));
  const isSupervised = lead !== undefined;
  return {
    document: {
      team: team.name,
      name: one.name,
      backend: one.backend,
      model,
      pid: one.process?.pid ?? null,
      pane: one.pane ?? null,
      isSupervised,
    },
    text: [`${one.name} is at work in ${team.name} (${one.backend}, ${model})`],
    ...(!isSupervised && {
      remark: `no session leads ${team.name}: you do; troupe inbox ${team.name} --follow tells what ${one.name} reports, troupe shutdown ends it`,
    }),
  };
}

/** The backend of a teammate on another machine. */
function elsewhere({ backend, host }: Pick<SpawnOptions, "backend" | "host">): string | undefined {
  if (host === undefined) return backend === "host" ? backend : undefined;
  if (backend === undefined || backend === "host") return `host:${host.join(",")}`;
  throw new TroupeError("arguments_invalid", `leave out one of --host and --backend ${backend}: a host has its own`);
}

/** Throws for what an agent of others is not told, and where its program is missing. */
function assertAgent(
  { acp = "", ...options }: Pick<SpawnOptions, "acp" | "backend" | "model" | "host">,
  { PATH }: Call["environment"],
): void {
  for (const name of ["backend", "model", "host"] as const)
    if (options[name] !== undefined)
      throw new TroupeError(
        "arguments_invalid",
        `leave out one of --acp and --${name}: an agent of others has its own`,
      );
  agentNamed(acp, PATH);
}

async function identityOf({ pid }: LeadProcess) {
  const startedAt = await startOf(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}
