import type { AgentType } from "@troupe/protocol/agent";
import { memoryTools } from "../agents/inherit.ts";

/**
 * The tools that a definition names; undefined for all of them, for which a client of another make
 * knows no name.
 */
export function toolsOf({ tools, memory }: Pick<AgentType, "tools" | "memory"> = {}): readonly string[] | undefined {
  if (tools === undefined || tools.includes("*")) return undefined;
  return [...tools, ...(memory === undefined ? [] : memoryTools)];
}
