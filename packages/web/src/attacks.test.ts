import { expect, test } from "vitest";
import { attacks } from "../test/attacks.ts";
import { openPlace, pass, secret, token } from "../test/place.ts";

const table = attacks.map((make) => [make(0).name, make] as const);

test("there are at least sixty attacks, each with a name of its own", () => {
  expect(new Set(table.map(([name]) => name)).size).toBe(table.length);
  expect(table.length).toBeGreaterThanOrEqual(60);
});

test.each(table)("%s: nothing is done, and nothing leaks", async (_, make) => {
  const { port, say, cookie, acts, shown } = await openPlace();
  const { line, headers, body = "", isKnown, status } = make(port);
  const hasLength = body !== "" && !line.startsWith("GET") && !headers.some((one) => /^Content-Length/.test(one));
  const sent = [
    `${line} HTTP/1.1`,
    ...headers,
    ...(isKnown ? [`Cookie: ${cookie}`] : []),
    ...(hasLength ? [`Content-Length: ${Buffer.byteLength(body)}`] : []),
  ];
  const said = await say(`${sent.join("\r\n")}\r\n\r\n${line.startsWith("GET") ? "" : body}`);
  expect(said.status).toBe(status);
  expect(acts).toEqual([]);
  expect(shown).toEqual([]);
  const all = JSON.stringify([said.body, ...said.headers]);
  for (const word of [secret, token, pass, "evil"]) expect(all).not.toContain(word);
  expect([...said.headers.keys()].filter((name) => /^access-control|^set-cookie/.test(name))).toEqual([]);
});
