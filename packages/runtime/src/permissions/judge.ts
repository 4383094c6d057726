import { coversTool, formerToolNames } from "@troupe/protocol";
import type { PendingCall, Reach } from "../loop/tool.ts";
import { allowed, allowing, type Finding, type Ground, ruled, strictest } from "./finding.ts";
import { judgeCommand } from "./judge-command.ts";
import { judgePath } from "./judge-path.ts";
import { hostOf, speaksOf } from "./rule.ts";

/** Tools that only move work and words around; in the mode delegate there are no others. */
const coordinationTools: ReadonlySet<string> = new Set([
  ...["Agent", "SendMessage", "TeamCreate", "TeamDelete", "ListAgents", "SubagentHandback"],
  ...["TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TaskOutput", "TaskStop", "TodoWrite"],
  ...["AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "ToolSearch", "WaitForMcpServers"],
]);

/** What a call comes to, before anybody is asked. It looks at the disk to follow links, and changes nothing. */
export function judgeCall(ground: Ground, { tool, input }: Pick<PendingCall, "tool" | "input">): Finding {
  const { name } = tool.definition;
  const forbidding = (["deny", "ask"] as const)
    .flatMap((behavior) => ground.rules.filter((rule) => rule.behavior === behavior))
    .find((rule) => coversTool(rule.tool, name) && (rule.isInput?.(input) ?? rule.isWhole));
  if (forbidding?.behavior === "deny") return ruled(forbidding);
  return inMode(ground, strictest([...(forbidding ? [ruled(forbidding)] : []), ...findings()]));

  function findings(): readonly Finding[] {
    const isCoordination = coordinationTools.has(formerToolNames.get(name) ?? name);
    if (ground.mode === "delegate" && !isCoordination) {
      return [
        { behavior: "deny", reason: `in delegate mode work is handed on, and ${name} does it; give it to an agent` },
      ];
    }
    const reaches = reachesOf();
    if (reaches) return reaches.map((reach) => judgeReach(ground, name, reach));
    if (isCoordination) return [allowed("it only coordinates")];
    const rule = ground.rules.find(
      (one) => one.behavior === "allow" && coversTool(one.tool, name) && (one.isInput?.(input) ?? one.isWhole),
    );
    if (rule) return [allowed(`allowed by the rule ${rule.text} (${rule.source})`, rule)];
    return [{ behavior: "ask", reason: `what ${name} does is not known`, suggestions: [allowing(name)] }];
  }

  function reachesOf(): readonly Reach[] | undefined {
    try {
      return tool.reaches?.(input);
    } catch {
      return undefined;
    }
  }
}

function judgeReach(ground: Ground, tool: string, reach: Reach): Finding {
  if (reach.kind === "command") return judgeCommand(ground, tool, reach.command);
  if (reach.kind !== "url") return judgePath(ground, { access: reach.kind, path: reach.path, tool });
  const host = hostOf(reach.url);
  if (host === undefined) return { behavior: "ask", reason: `${reach.url} is no address` };
  const fits = (behavior: string) =>
    ground.rules.find(
      (rule) => rule.behavior === behavior && (rule.isHost?.(host) ?? (rule.isWhole && speaksOf(rule, tool))),
    );
  const forbidding = fits("deny") ?? fits("ask");
  if (forbidding) return ruled(forbidding);
  const rule = fits("allow");
  if (rule) return allowed(`allowed by the rule ${rule.text} (${rule.source})`, rule);
  return { behavior: "ask", reason: `it reaches ${host}`, suggestions: [allowing(tool, `domain:${host}`)] };
}

/** What becomes of a question in a mode that asks nobody. */
function inMode({ mode }: Ground, finding: Finding): Finding {
  if (finding.behavior !== "ask") return finding;
  if (mode === "bypassPermissions" && !finding.holds) return allowed("permissions are bypassed");
  if (mode !== "dontAsk") return finding;
  const reason = `${finding.reason}, and in the mode dontAsk what is not allowed beforehand is denied`;
  return { ...finding, behavior: "deny", reason, suggestions: [] };
}
