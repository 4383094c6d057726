import { resolve } from "node:path";
import { startOf } from "@troupe/process";
import { type LeadProcess, leadOf, type PermissionMode, type TeamConfig, TroupeError } from "@troupe/protocol";
import { chooseModel } from "@troupe/runtime";
import { askNobody, createSpawner } from "@troupe/team";
import { definitionsFrom } from "../agents/definitions.ts";
import type { Answer, Call } from "../command.ts";
import { actor, openTeam } from "../open.ts";
import { backendsOf } from "../session/backends.ts";
import { setVariables } from "../session/environment.ts";
import { runningLead } from "../team/liveness.ts";

interface SpawnOptions {
  readonly prompt?: string;
  readonly type?: string;
  readonly model?: string;
  readonly cwd?: string;
  readonly backend?: "process" | "tmux";
  readonly "permission-mode"?: PermissionMode;
  readonly "plan-mode-required"?: boolean;
}

type SpawnCall = Call<{ team: string; name: string }, SpawnOptions>;

const plainType = "general-purpose";
const graceMs = 5_000;

/** Starts a teammate in the lead's name; a lead that runs goes on with it as with its own. */
export async function run(call: SpawnCall): Promise<Answer> {
  const { options, args, environment } = call;
  const prompt = options.prompt === "-" ? await call.read() : (options.prompt ?? "");
  if (prompt.trim() === "")
    throw new TroupeError(
      "arguments_invalid",
      "a teammate needs something to do: say it with --prompt TEXT, or --prompt -",
    );
  const team = await openTeam(call, args.team);
  const { value: config } = await team.config();
  if (!config) throw new TroupeError("document_invalid", `the config of ${team.name} cannot be read: troupe doctor`);
  const self = await actor(team, undefined);
  const revision = team.form === "2026-11" ? team.form : "2026-02";
  const mode = options.backend ?? (environment["TMUX"] ? "tmux" : "process");
  const leadProcess = runningLead(call.root, config);
  const lead = leadProcess && (await identityOf(leadProcess));
  const backends = backendsOf({ call, mode, revision, ask: askNobody, onEvent: () => {}, lead });
  const spawner = createSpawner({ team, self, backends, now: call.now, graceMs });
  const { agentType, ...definition } = definitionOf(call, options.type);
  const model = chooseModel({
    asked: options.model ?? definition.model ?? modelOf(config),
    overrides: setVariables(call),
  });
  const { one } = await spawner.spawn(
    {
      name: args.name,
      revision,
      leadSessionId: config.leadSessionId ?? "",
      agentType,
      model,
      prompt,
      mode: options["permission-mode"] ?? "default",
      planModeRequired: options["plan-mode-required"] ?? false,
      tools: definition.tools,
      disallowedTools: definition.disallowedTools,
      cwd: resolve(call.cwd, options.cwd ?? "."),
      environment: {},
    },
    mode,
    call.signal,
  );
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

async function identityOf({ pid }: LeadProcess) {
  const startedAt = await startOf(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** `inherit` says nothing about what the lead's own model is. */
function modelOf(config: TeamConfig): string | undefined {
  const { model } = leadOf(config) ?? {};
  return model === "inherit" ? undefined : model;
}

function definitionOf(call: SpawnCall, type: string = plainType) {
  const found = definitionsFrom(call).find((one) => one.isUsed && one.definition?.name === type)?.definition;
  if (found) {
    const { tools, disallowedTools, model } = found;
    return { agentType: type, tools, disallowedTools, model };
  }
  if (type === plainType) return { agentType: type };
  const message = `there is no agent definition ${JSON.stringify(type)} here: troupe agents list shows those that there are`;
  throw new TroupeError("arguments_invalid", message, { type });
}
