import type { PermissionMode } from "@troupe/protocol";
import { timeLimit } from "@troupe/store";
import type { CallQuestion, Membership } from "@troupe/team";
import type { AgentCall, Verdict } from "./hearing.ts";

export interface DecideDeps {
  readonly membership: Pick<Membership, "ask" | "handIn">;
  /** Once its plan is approved: the mode it was given. */
  readonly granted: () => PermissionMode | undefined;
  readonly mode: PermissionMode;
  readonly planModeRequired: boolean;
  /** An answer that takes longer is no. */
  readonly askMs: number;
  readonly newId: () => string;
}

/** What the reference client calls a tool that does such a thing. */
const toolOf: Readonly<Record<string, string>> = {
  edit: "Edit",
  delete: "Delete",
  move: "Move",
  execute: "Bash",
  read: "Read",
  search: "Grep",
  fetch: "WebFetch",
};

const changing: ReadonlySet<string> = new Set(["edit", "delete", "move", "execute", "other"]);

/** Decides about the calls of an agent as about those of a session: its lead is asked. */
export function decideCalls(deps: DecideDeps): (call: AgentCall, signal: AbortSignal) => Promise<Verdict> {
  const { membership, granted, mode, planModeRequired, askMs, newId } = deps;
  return async (call, signal) => {
    if (planModeRequired && granted() === undefined) {
      if (call.kind === "switch_mode") {
        await membership.handIn(planIn(call), "");
        return "deny";
      }
      if (changing.has(call.kind)) return "deny";
    }
    if ((granted() ?? mode) === "bypassPermissions") return "allow";
    const late = timeLimit(askMs);
    const { behavior } = await membership.ask(questionOf(call, newId()), AbortSignal.any([signal, late]));
    if (signal.aborted) return "cancelled";
    return behavior;
  };
}

function questionOf({ id: call, title, kind, tool, input }: AgentCall, id: string): CallQuestion {
  const given = typeof input === "object" && input !== null ? input : { input };
  const isNamed = "description" in given;
  return {
    id,
    call,
    tool: toolOf[kind] ?? tool ?? title,
    input: isNamed ? given : { ...given, description: title },
    reason: title,
    suggestions: [],
  };
}

/** The plan that an agent wants to leave its planning with. */
function planIn({ title, input }: AgentCall): string {
  const { plan } = (input ?? {}) as { readonly plan?: unknown };
  return typeof plan === "string" && plan !== "" ? plan : title;
}
