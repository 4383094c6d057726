import { leadOf, type PermissionMode, type Revision, type TeamConfig, TroupeError } from "@troupe/protocol";
import { chooseModel } from "@troupe/runtime";
import type { Spawner } from "@troupe/team";
import { definitionsFrom } from "../agents/definitions.ts";
import type { Call } from "../command.ts";
import { setVariables } from "../session/environment.ts";

/** A teammate as somebody asks for it who is no session. */
export interface TeammateWish {
  readonly name: string;
  readonly prompt: string;
  readonly type?: string | undefined;
  readonly model?: string | undefined;
  readonly mode?: PermissionMode | undefined;
  readonly planModeRequired?: boolean | undefined;
  readonly cwd: string;
}

/** How long a teammate may take to end by itself before it is killed. */
export const graceMs = 5_000;

const plainType = "general-purpose";

/** What such a teammate is started with. Throws `arguments_invalid` for an unknown type. */
export function teammateSpec(
  call: Pick<Call, "root" | "home" | "cwd" | "environment">,
  config: TeamConfig,
  revision: Revision,
  { type, model, mode = "default", planModeRequired = false, ...wish }: TeammateWish,
): Parameters<Spawner["spawn"]>[0] {
  const definition = definitionOf(call, type);
  return {
    ...wish,
    revision,
    leadSessionId: config.leadSessionId ?? "",
    agentType: definition.agentType,
    model: chooseModel({ asked: model ?? definition.model ?? modelOf(config), overrides: setVariables(call) }),
    mode,
    planModeRequired,
    tools: definition.tools,
    disallowedTools: definition.disallowedTools,
    environment: {},
  };
}

/** `inherit` says nothing about what the lead's own model is. */
function modelOf(config: TeamConfig): string | undefined {
  const { model } = leadOf(config) ?? {};
  return model === "inherit" ? undefined : model;
}

function definitionOf(call: Parameters<typeof teammateSpec>[0], type: string = plainType) {
  const found = definitionsFrom(call).find((one) => one.isUsed && one.definition?.name === type)?.definition;
  if (found) {
    const { tools, disallowedTools, model } = found;
    return { agentType: type, tools, disallowedTools, model };
  }
  if (type === plainType) return { agentType: type };
  const message = `there is no agent definition ${JSON.stringify(type)} here: troupe agents list shows those that there are`;
  throw new TroupeError("arguments_invalid", message, { type });
}
