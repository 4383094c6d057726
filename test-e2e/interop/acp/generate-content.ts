import type { ContentBlock, MessagesRequest } from "@troupe/fake-anthropic";
import { asResult, asUse, type Dialect } from "./endpoint.ts";

interface Part {
  readonly text?: string;
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: object };
  readonly functionResponse?: { readonly id?: string; readonly name: string; readonly response?: unknown };
}

interface Asked {
  readonly contents: readonly { readonly role?: string; readonly parts: readonly Part[] }[];
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
}

function blockOf({ text, functionCall, functionResponse }: Part): readonly ContentBlock[] {
  if (functionCall) return [asUse(functionCall.id ?? functionCall.name, functionCall.name, functionCall.args)];
  if (functionResponse)
    return [asResult(functionResponse.id ?? functionResponse.name, JSON.stringify(functionResponse.response))];
  return text === undefined ? [] : [{ type: "text", text }];
}

const asMessages = ({ contents, tools = [] }: Asked): MessagesRequest => ({
  model: "gemini",
  system: [],
  messages: contents.map(({ role, parts }) => ({
    role: role === "model" ? "assistant" : "user",
    content: parts.flatMap(blockOf),
  })),
  tools: tools
    .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
    .map(({ name }) => ({ name, input_schema: {} })),
});

/** The generateContent API, whole or as a stream. */
export const generateContent: Dialect = {
  path: /:(generateContent|streamGenerateContent)$/,
  asMessages: asMessages as Dialect["asMessages"],
  events(said, calls) {
    const parts = [
      ...(said === "" ? [] : [{ text: said }]),
      ...calls.map(({ name, input }) => ({ functionCall: { name, args: input } })),
    ];
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    return [{ candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }], usageMetadata }];
  },
};
