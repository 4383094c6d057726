import { checkFailure } from "../fault.ts";
import type { ModelRequest } from "./conversation.ts";
import type { Call } from "./model-endpoint.ts";

export interface SpawnWish {
  readonly name: string;
  readonly prompt: string;
  readonly team?: string;
  readonly mode?: string;
}

/** The words in which a session's tools are called, read from those that it offers. */
export interface Dialect {
  /** Teams are made and deleted by calls. */
  readonly hasTeams: boolean;
  makeTeam(name: string): Call;
  endTeam(): Call;
  spawn(wish: SpawnWish): Call;
  /** An agent without a name: its result comes back to who called. */
  delegate(wish: { readonly prompt: string; readonly type?: string; readonly more?: object }): Call;
  send(to: string, text: string, summary?: string): Call;
  broadcast(text: string): Call;
  askToEnd(to: string, reason: string): Call;
  answerEnd(id: string, approve: boolean, reason?: string): Call;
  answerPlan(to: string, id: string, approve: boolean, feedback?: string): Call;
}

/** Fails the check where a session offers no tools of teams. */
export function dialectOf({ tools }: ModelRequest): Dialect {
  const named = (name: string) => tools.find((tool) => tool.name === name);
  const sending = named("SendMessage");
  const agent = ["Agent", "Task"].find((name) => named(name));
  if (!sending) throw checkFailure("the model is offered no SendMessage", { actual: tools.map(({ name }) => name) });
  const isFlat = Object.hasOwn(sending.input_schema?.properties ?? {}, "recipient");
  const say = (flat: object, to: string, message: unknown, summary?: string): Call => [
    "SendMessage",
    isFlat
      ? { ...flat, ...(summary !== undefined && { summary }) }
      : { to, message, ...(summary !== undefined && { summary }) },
  ];
  return {
    hasTeams: named("TeamCreate") !== undefined,
    makeTeam: (team_name) => ["TeamCreate", { team_name, description: "of the suite" }],
    endTeam: () => ["TeamDelete", {}],
    spawn: ({ name, prompt, team, mode }) => [
      agent ?? "Agent",
      {
        name,
        prompt,
        description: `start ${name}`,
        subagent_type: "general-purpose",
        ...(team !== undefined && { team_name: team }),
        ...(mode !== undefined && { mode }),
      },
    ],
    delegate: ({ prompt, type = "general-purpose", more = {} }) => [
      agent ?? "Agent",
      { prompt, description: "a part of the work", subagent_type: type, ...more },
    ],
    send: (to, content, summary = "a word") => say({ type: "message", recipient: to, content }, to, content, summary),
    broadcast: (content) => say({ type: "broadcast", content }, "*", content, "a word to all"),
    askToEnd: (to, reason) =>
      say({ type: "shutdown_request", recipient: to, content: reason }, to, { type: "shutdown_request", reason }),
    answerEnd: (request_id, approve, reason) =>
      say(
        { type: "shutdown_response", request_id, approve, ...(reason !== undefined && { content: reason }) },
        "team-lead",
        { type: "shutdown_response", request_id, approve, ...(reason !== undefined && { reason }) },
      ),
    answerPlan: (to, request_id, approve, feedback) =>
      say(
        {
          type: "plan_approval_response",
          recipient: to,
          request_id,
          approve,
          ...(feedback !== undefined && { content: feedback }),
        },
        to,
        { type: "plan_approval_response", request_id, approve, ...(feedback !== undefined && { feedback }) },
      ),
  };
}
