import type { ContentBlock, MessagesRequest } from "@troupe/fake-anthropic";
import { asResult, asUse, type Called, type Dialect } from "./endpoint.ts";

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly content?: string | readonly { readonly text?: string }[];
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly output?: unknown;
}

interface Tool {
  readonly type: string;
  readonly name?: string;
  readonly parameters?: object;
  /** Of a namespace, such as that of an MCP server. */
  readonly tools?: readonly Tool[];
}

interface Asked {
  readonly model: string;
  readonly input: string | readonly Item[];
  readonly tools?: readonly Tool[];
}

/** A tool of a namespace is called by both names here. */
const between = "/";

function blockOf({ type, content, call_id = "", name = "", arguments: input, output }: Item): readonly ContentBlock[] {
  if (type === "function_call") return [asUse(call_id, name, JSON.parse(input || "{}"))];
  if (type === "function_call_output") return [asResult(call_id, JSON.stringify(output))];
  const parts = typeof content === "string" ? [{ text: content }] : (content ?? []);
  return parts.map(({ text = "" }) => ({ type: "text", text }));
}

const roleOf = ({ type, role }: Item) =>
  type === "function_call" || role === "assistant" ? ("assistant" as const) : ("user" as const);

function asMessages({ model, input, tools = [] }: Asked): MessagesRequest {
  const items = typeof input === "string" ? [{ role: "user", content: input }] : input;
  const named = (tool: Tool, before = ""): readonly MessagesRequest["tools"][number][] =>
    tool.tools
      ? tool.tools.flatMap((one) => named(one, `${tool.name}${between}`))
      : tool.name === undefined
        ? []
        : [{ name: before + tool.name, input_schema: tool.parameters ?? {} }];
  return {
    model,
    system: [],
    messages: items.map((item) => ({ role: roleOf(item), content: [...blockOf(item)] })),
    tools: tools.flatMap((tool) => named(tool)),
  };
}

function callOf({ name, input }: Called, id: string): object {
  const [space = "", own] = name.split(between);
  const names = own === undefined ? { name } : { name: own, namespace: space };
  return { type: "function_call", id: `fc_${id}`, call_id: id, ...names, arguments: JSON.stringify(input) };
}

/** The Responses API, as far as Codex needs it. */
export const responses: Dialect = {
  path: /\/responses$/,
  asMessages: asMessages as Dialect["asMessages"],
  events(said, calls, newId) {
    const response = { id: newId(), object: "response", status: "completed" };
    const message = { type: "message", id: `msg_${newId()}`, role: "assistant" };
    const output = [
      ...(said === "" ? [] : [{ ...message, content: [{ type: "output_text", text: said, annotations: [] }] }]),
      ...calls.map((call) => callOf(call, newId())),
    ];
    const usage = {
      input_tokens: 1,
      input_tokens_details: null,
      output_tokens: 1,
      output_tokens_details: null,
      total_tokens: 2,
    };
    return [
      { type: "response.created", response: { ...response, status: "in_progress" } },
      ...output.map((item, output_index) => ({ type: "response.output_item.done", output_index, item })),
      { type: "response.completed", response: { ...response, output, usage } },
    ];
  },
};
