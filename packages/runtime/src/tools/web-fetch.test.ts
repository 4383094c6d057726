import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { workbench } from "../../test/workbench.ts";
import { htmlText } from "./html-text.ts";
import type { WebFetchDeps } from "./web-fetch.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A web of one machine: what each path answers. */
async function web(paths: Readonly<Record<string, Answer>>, over: Partial<WebFetchDeps> = {}) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(String(request.url));
    (paths[String(request.url)] ?? ((_, none) => none.writeHead(404).end("nothing here")))(request, response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { call, toolCalled } = workbench(over);
  const get = (path: string, signal?: AbortSignal) =>
    call("WebFetch", { url: path.startsWith("/") ? origin + path : path, prompt: "What is it?" }, signal);
  return { get, asked, origin, toolCalled };
}

const page =
  (type: string, body: string | Buffer): Answer =>
  (_, response) =>
    response.writeHead(200, { "content-type": type }).end(body);

test("a page comes as its text, in its own encoding, and data as it is", async () => {
  const { get } = await web({
    "/page": page("text/html; charset=iso-8859-1", Buffer.from("<h1>Gr\xfc\xdfe</h1><p>one &amp; two", "latin1")),
    "/data": page("application/json", '{"a": "<b>"}'),
  });
  expect((await get("/page")).text).toBe("# Grüße\n\none & two");
  expect((await get("/data")).text).toBe('{"a": "<b>"}');
});

test("the prompt is answered from the page where somebody can, and a long page is cut either way", async () => {
  const heard: string[] = [];
  const paths = { "/": page("text/plain", "word ".repeat(100_000)) };
  const summarise = async (text: string, prompt: string) => {
    heard.push(text);
    return `answer to ${prompt}`;
  };
  const { get } = await web(paths, { summarise });
  expect((await get("/")).text).toBe("answer to What is it?");
  expect(heard[0]?.length).toBeLessThan(201_000);
  const plain = await (await web(paths)).get("/");
  expect(plain.text.length).toBeLessThan(31_000);
  expect(plain.text).toContain("cut after 30000 of 500000");
});

test("a redirect is followed on its host, told when it leads elsewhere, and ends when it goes round", async () => {
  const to =
    (location: string): Answer =>
    (_, response) =>
      response.writeHead(302, { location }).end();
  const other = await web({ "/": page("text/plain", "there") });
  const { get, asked } = await web({
    "/here": to("/end"),
    "/end": page("text/plain", "here"),
    "/away": to(`${other.origin}/`),
    "/file": to("file:///etc/passwd"),
    "/round": to("/round"),
  });
  expect((await get("/here")).text).toBe("here");
  expect((await get("/away")).text).toContain(`call WebFetch with ${other.origin}/`);
  expect((await get("/file")).text).toContain("not followed");
  expect(other.asked).toEqual([]);
  expect(await get("/round")).toMatchObject({ isError: true });
  expect(asked.filter((path) => path === "/round")).toHaveLength(5);
});

test("a page without end is read up to a limit, and the connection is given up", async () => {
  let isClosed = () => {};
  const closed = new Promise<void>((done) => {
    isClosed = done;
  });
  const flood: Answer = (_, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    const more = () => {
      while (response.write("flood ".repeat(10_000)));
    };
    response.on("drain", more).on("close", isClosed);
    more();
  };
  const { get } = await web({ "/": flood }, { fetchLimits: { bytes: 100_000 } });
  expect((await get("/")).text).toContain("only the first 100000 bytes were read");
  await closed;
});

test("a server that says nothing is given up after a time, and at once when the agent is interrupted", async () => {
  const { get } = await web({ "/": () => {} }, { fetchLimits: { ms: 50 } });
  expect(await get("/")).toMatchObject({ isError: true, text: expect.stringContaining("within 50 ms") });
  const patient = await web({ "/": () => controller.abort() });
  const controller = new AbortController();
  expect(await patient.get("/", controller.signal)).toMatchObject({ isError: true });
});

test("what is no text, no page and no address is refused", async () => {
  const { get } = await web({ "/image": page("image/png", "x") });
  expect(await get("/image")).toMatchObject({ isError: true, text: expect.stringContaining("image/png") });
  expect((await get("/absent")).text).toMatch(/status 404\.\nnothing here$/);
  expect((await get("file:///etc/passwd")).text).toContain("Only http and https");
  expect((await get("http://me:secret@127.0.0.1/")).text).toContain("password");
  expect(await get("http://127.0.0.1:1/")).toMatchObject({ isError: true });
});

test("http becomes https, but for this machine, and the judge sees the address that is asked", async () => {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    asked.push(String(input));
    return new Response("there", { headers: { "content-type": "text/plain" } });
  };
  const { get, toolCalled } = await web({}, { fetch });
  await get("http://example.com/a");
  await get("http://localhost:8080/b");
  expect(asked).toEqual(["https://example.com/a", "http://localhost:8080/b"]);
  const reaches = toolCalled("WebFetch").reaches?.({ url: "http://example.com/a", prompt: "" }, "/");
  expect(reaches).toEqual([{ kind: "url", url: "https://example.com/a" }]);
});

test.each([
  ["<ul><li>one<li>two</ul>", "- one\n- two"],
  ["a<script>if (1 < 2) b</script>c<script>d</script>e<style>f</style>", "ace"],
  ["<!-- no --><p>x</p>", "x"],
  ["<a href='/there'>here</a> <a href='javascript:x()'>no</a>", "here (/there) no"],
  ["<pre>\n  a\n    b</pre>", "a\n    b"],
  ["1 < 2 &lt; 3 &#x1D11E; &#99999999; &nope;", "1 < 2 < 3 𝄞 \ufffd &nope;"],
  ["<p>one\n\n  two</p><p>three</p>", "one two\n\nthree"],
  ["<p>unclosed <b", "unclosed"],
])("the text of %s is %s", (html, text) => {
  expect(htmlText(html)).toBe(text);
});

test.each([
  ["&mdash;&rsquo;&hellip;&Eacute;&notin;&Aacute", "—’…É∉Á"],
  ["&#8212;&#x2019;&#150;", "—’–"],
  ["one&nbsp;two&ensp;three", "one two\u2002three"],
  ["&amp;lt;b&amp;gt; &nosuch; &#; & x", "&lt;b&gt; &nosuch; &#; & x"],
  ["&#xD800;&#0;", "\ufffd\ufffd"],
])("%s is the characters it stands for, read once", (html, text) => {
  expect(htmlText(html)).toBe(text);
});

test("a page that is made to be slow is read in one pass", () => {
  const size = 200_000;
  for (const piece of ["<script>", "<!--", "<a href=", "<", "&#", "<a ", " "]) htmlText(piece.repeat(size));
});
