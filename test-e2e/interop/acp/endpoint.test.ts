import { expect, onTestFinished, test } from "vitest";
import { type Dialect, startEndpoint } from "./endpoint.ts";
import { generateContent } from "./generate-content.ts";
import { carryOut, order } from "./orders.ts";
import { responses } from "./responses.ts";

const bid = order("mail", "done");

async function posted(dialect: Dialect, path: string, body: object): Promise<string> {
  const { url, close } = await startEndpoint(dialect, carryOut);
  onTestFinished(close);
  return (await fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body) })).text();
}

test("a model of the Responses API calls a tool of a namespace by both names, and ends when it has the result", async () => {
  const tools = [{ type: "namespace", name: "mcp__troupe", tools: [{ type: "function", name: "send_message" }] }];
  const said = { type: "message", role: "user", content: [{ type: "input_text", text: bid }] };
  const asked = { model: "m", input: [said], tools };
  const first = await posted(responses, "/v1/responses", asked);
  expect(first).toContain('"name":"send_message","namespace":"mcp__troupe"');
  const call = { type: "function_call", call_id: "c", name: "send_message", arguments: "{}" };
  const result = { type: "function_call_output", call_id: "c", output: "Sent." };
  const then = await posted(responses, "/v1/responses", { ...asked, input: [said, call, result] });
  expect(then).toContain("mail is over");
  expect(then).not.toContain("function_call");
});

test("a model of the generateContent API does the same, in a stream and whole", async () => {
  const functionDeclarations = [{ name: "mcp_troupe_send_message" }];
  const contents = [{ role: "user", parts: [{ text: bid }] }];
  for (const way of ["generateContent", "streamGenerateContent?alt=sse"]) {
    const path = `/v1beta/models/m:${way}`;
    expect(await posted(generateContent, path, { contents, tools: [{ functionDeclarations }] })).toContain(
      '"functionCall":{"name":"mcp_troupe_send_message","args":{"to":"lead","message":"done"}}',
    );
    const parts = [{ functionResponse: { name: "mcp_troupe_send_message", response: { output: "Sent." } } }];
    const asked = { contents: [...contents, { role: "user", parts }], tools: [{ functionDeclarations }] };
    expect(await posted(generateContent, path, asked)).toContain("mail is over");
  }
});
