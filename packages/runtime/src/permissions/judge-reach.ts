import { messageOf } from "@troupe/protocol";
import type { Reach } from "../loop/tool.ts";
import { hostOf } from "./host.ts";
import { judgeCommand } from "./judge-command.ts";
import { judgePath } from "./judge-path.ts";
import { speaksOf } from "./rule.ts";
import { allowed, allowing, bounded, type Ground, type Ruling, ruled } from "./ruling.ts";

/** An error while a command is judged is a fault of ours, and allows nothing. */
function judgedCommand(ground: Ground, tool: string, command: string): Ruling {
  try {
    return judgeCommand(ground, tool, command);
  } catch (error) {
    return { behavior: "ask", reason: `the command cannot be judged: ${messageOf(error)}`, holds: true };
  }
}

/** The judgement of one thing outside the conversation that a call reaches. */
export function judgeReach(ground: Ground, tool: string, reach: Reach): Ruling {
  if (reach.kind === "command") return bounded(judgedCommand(ground, tool, reach.command), ground);
  if (reach.kind !== "url") return judgePath(ground, { access: reach.kind, path: reach.path, tool });
  const host = hostOf(reach.url);
  if (host === undefined) return { behavior: "ask", reason: `${reach.url} is not a web address`, holds: true };
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
