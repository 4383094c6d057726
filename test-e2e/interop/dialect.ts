import type { MessagesRequest } from "@troupe/fake-anthropic";

/** A call of a tool: its name and its input. */
export type Call = readonly [name: string, input: object];

/** The words in which a client's tools are called, which changed from version to version. */
export interface Dialect {
  /** It has teams that are made and deleted by name. */
  readonly hasTeams: boolean;
  makeTeam(name: string): Call;
  endTeam(): Call;
  spawn(name: string, prompt: string, more?: { readonly team?: string; readonly mode?: string }): Call;
  send(to: string, text: string): Call;
  broadcast(text: string): Call;
  askToEnd(to: string): Call;
  answerEnd(to: string, id: string, approve: boolean, reason?: string): Call;
  answerPlan(to: string, id: string, approve: boolean, feedback?: string): Call;
}

/** Reads the dialect from the tools that a client offers its model. */
export function dialectOf({ tools }: Pick<MessagesRequest, "tools">): Dialect {
  const named = (name: string) => tools.find((tool) => tool.name === name);
  const sending = named("SendMessage")?.["input_schema"] as { properties?: Record<string, unknown> } | undefined;
  if (sending === undefined) throw new Error("its model has no SendMessage: are agent teams on?");
  const isFlat = Object.hasOwn(sending.properties ?? {}, "recipient");
  // Some clients keep tools back that are seldom called: another tool calls them.
  const deferring = named("DeferExecuteTool") !== undefined;
  const hasTeams = deferring || named("TeamCreate") !== undefined;
  const seldom = (toolName: string, params: object): Call =>
    deferring ? ["DeferExecuteTool", { toolName, params }] : [toolName, params];
  const send = (recipient: string, flat: object, message: unknown): Call => [
    "SendMessage",
    isFlat ? { recipient, ...flat } : { to: recipient, summary: "a word", message },
  ];
  return {
    hasTeams,
    makeTeam: (team_name) => seldom("TeamCreate", { team_name, description: "live" }),
    endTeam: () => seldom("TeamDelete", {}),
    spawn: (name, prompt, { team, mode } = {}) => [
      named("Agent") ? "Agent" : "Task",
      {
        name,
        prompt,
        description: `start ${name}`,
        subagent_type: "general-purpose",
        ...(hasTeams && team !== undefined && { team_name: team }),
        ...(mode !== undefined && { mode }),
      },
    ],
    send: (to, content) => send(to, { type: "message", content, summary: "a word" }, content),
    broadcast: (content) => send("*", { type: "broadcast", recipient: undefined, content, summary: "a word" }, content),
    askToEnd: (to) =>
      send(to, { type: "shutdown_request", content: "done" }, { type: "shutdown_request", reason: "done" }),
    answerPlan: (to, request_id, approve, feedback) =>
      send(
        to,
        { type: "plan_approval_response", request_id, approve, ...(feedback !== undefined && { content: feedback }) },
        { type: "plan_approval_response", request_id, approve, ...(feedback !== undefined && { feedback }) },
      ),
    answerEnd: (to, request_id, approve, reason) =>
      send(
        to,
        { type: "shutdown_response", request_id, approve, ...(reason !== undefined && { content: reason }) },
        { type: "shutdown_response", request_id, approve, ...(reason !== undefined && { reason }) },
      ),
  };
}
