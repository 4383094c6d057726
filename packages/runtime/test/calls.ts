import type { ToolContext } from "../src/loop/tool.ts";

/** What the loop gives a tool with a call of this agent; most tools ask nothing of it. */
export const callBy = <Agent>(agent: Agent, over: Partial<Omit<ToolContext, "agent">> = {}): ToolContext<Agent> => ({
  call: "toolu_1",
  signal: new AbortController().signal,
  agent,
  ...over,
});
