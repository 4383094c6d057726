import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MessageDraft } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../scripts/awaited.ts";
import { portToKeep } from "../scripts/port.ts";
import { expectSchema, openTroupe } from "./command-line.ts";

const { home, root, told, json, refusal, begin, live } = openTroupe();

/** A page of `troupe web`, asked as a browser does. */
async function openPage(...args: readonly string[]) {
  const { until, child, closed } = live("web", "--json", ...args);
  onTestFinished(() => void child.kill());
  const document = JSON.parse(await until(() => true));
  expectSchema("web", document);
  const { origin, hash } = new URL(document.url);
  const entered = await fetch(`${origin}/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token: hash.slice(1) }),
  });
  const [cookie = ""] = entered.headers.getSetCookie();
  const headers = { cookie: cookie.split(";")[0] ?? "" };
  /** What the server says, as its schema has it. */
  // biome-ignore lint/suspicious/noExplicitAny: each test says what it expects of it
  const jsonOf = async (answer: Response): Promise<any> => answer.json();
  return {
    document,
    child,
    closed,
    origin,
    headers,
    jsonOf,
    look: async (path: string) => jsonOf(await fetch(`${origin}/api/${path}`, { headers })),
    act: (team: string, kind: string, body: object) =>
      fetch(`${origin}/api/team/${team}/${kind}`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
  };
}

/** A team with ann, who asks to run a command. */
async function asking(name: string) {
  told("team", "create", name);
  told("team", "join", name, "ann");
  const team = await openFileStore({ root }).openTeam(name);
  const ann = await team?.as("ann");
  if (!team || !ann) throw new Error(`there is no ann in ${name}`);
  const request: MessageDraft = {
    type: "permission_request",
    request_id: "perm-1",
    agent_id: "ann",
    tool_name: "Edit",
    tool_use_id: "t1",
    description: "it changes a file",
    input: { file_path: "/a", old_string: "one\ntwo", new_string: "one\nthree" },
    permission_suggestions: [],
  };
  await ann.record({ kind: "permission", id: "perm-1", phase: "asked", tool: "Edit", reason: "it changes a file" });
  await ann.send("team-lead", { body: request });
  return { team, ann };
}

test("it tells the address with a token of 256 bits, serves the page, and ends clean on Ctrl-C", async () => {
  const { document, child, closed, origin } = await openPage();
  expect(document).toMatchObject({ event: "listening", person: null });
  expect(Buffer.from(new URL(document.url).hash.slice(1), "base64url")).toHaveLength(32);
  const page = await fetch(origin);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(await page.text()).toContain('<script type="module" src="/app.js">');
  expect((await fetch(`${origin}/app.js`)).status).toBe(200);
  expect((await fetch(`${origin}/api/teams`)).status).toBe(401);
  child.kill("SIGINT");
  expect(await awaited("its end", closed)).toEqual([130, null]);
  await expect(fetch(origin)).rejects.toThrow();
});

test("who needs a person is shown first with all that they ask, and without --write nothing can be answered", async () => {
  await asking("looked-at");
  const { look, act } = await openPage();
  const { teams, person } = await look("teams");
  expect(person).toBe(null);
  const [{ members, requests }] = teams.filter(({ name }: { name: string }) => name === "looked-at");
  expect(members).toMatchObject([
    { name: "team-lead", isLead: true },
    { name: "ann", state: "needs_input", source: "log", since: expect.any(String), line: "asks for a permission" },
  ]);
  expect(requests).toMatchObject([
    {
      id: "perm-1",
      from: "ann",
      tool: "Edit",
      reason: "it changes a file",
      fields: [{ name: "file_path", text: "/a" }],
      diff: [
        { sign: " ", text: "one" },
        { sign: "-", text: "two" },
        { sign: "+", text: "three" },
      ],
      canAnswer: true,
    },
  ]);
  const body = { request: "perm-1", of: "permission", decision: "allowed", note: "" };
  expect((await act("looked-at", "answer", body)).status).toBe(403);
  expect(json("inbox", ["inbox", "looked-at", "ann"]).messages).toEqual([]);
});

test("with --write a person answers as the command line does, once; the log says who, and a second answer is told that it is late", async () => {
  const { ann } = await asking("answered");
  const { document, act } = await openPage("--write", "--person", "Maria");
  expect(document.person).toBe("Maria");
  const body = { request: "perm-1", of: "permission", decision: "denied", note: "use the copy" };
  const answering = act("answered", "answer", body);
  const mail = () => json("inbox", ["inbox", "answered", "ann", "--all"]).messages;
  await untilSeen("the answer", () => mail().length > 0);
  await ann.record({ kind: "permission", id: "perm-1", phase: "denied" });
  expect(await (await answering).json()).toEqual({ isDone: true, words: "denied for ann" });
  expect(mail()).toMatchObject([
    { kind: "permission_response", body: { request_id: "perm-1", subtype: "error", error: "use the copy" } },
  ]);
  expect(told("log", "answered")).toContain("team-lead is told by Maria to deny perm-1");
  const late = await act("answered", "answer", { ...body, decision: "allowed" });
  expect(late.status).toBe(404);
  expect(mail()).toHaveLength(1);
});

test("with --write a person writes to members and changes tasks in the lead's name", async () => {
  told("team", "create", "worked");
  told("team", "join", "worked", "ann");
  const { look, act, jsonOf } = await openPage("--write");
  const done = async (kind: string, body: object) => {
    const said = await act("worked", kind, body);
    return said.status === 200 ? (await jsonOf(said)).words : said.status;
  };
  expect(await done("send", { to: "ann", text: "-" })).toBe("sent to ann from team-lead");
  expect(await done("task", { id: null, subject: "Read it" })).toBe("created #1 Read it");
  expect(await done("task", { id: "1", owner: "ann", status: "in_progress" })).toBe("changed #1 Read it");
  expect(await done("task", { id: "1", owner: null, status: "pending" })).toBe("changed #1 Read it");
  expect(await done("task", { id: "7", status: "pending" })).toBe(404);
  expect(await done("send", { to: "nobody", text: "x" })).toBe(404);
  expect((await look("team/worked")).tasks).toMatchObject([{ id: "1", status: "pending", owner: null }]);
  const { messages } = await look("team/worked/inbox/ann");
  expect(messages.map(({ line }: { line: string }) => line)).toContain("-");
});

test("marks that hide or turn text are shown as such, as in a terminal", async () => {
  told("team", "create", "hostile");
  told("task", "create", "hostile", "a\u202eb\u200bc\u001b[2Jd");
  const { look } = await openPage();
  const { tasks } = await look("team/hostile");
  expect(tasks[0].subject).toBe("a\ufffdb‹200B›c\ufffd[2Jd");
});

test("--open hands the address to the browser of this system, and --port listens where it says", async () => {
  const [programs, opened] = [join(home, "programs"), join(home, "opened")];
  mkdirSync(programs);
  for (const name of ["xdg-open", "open"])
    writeFileSync(
      join(programs, name),
      `#!/bin/sh\nprintf %s "$1" >'${opened}.new' && mv '${opened}.new' '${opened}'\n`,
      { mode: 0o755 },
    );
  const child = begin(["web", "--json", "--open"], { PATH: `${programs}:${process.env["PATH"]}` });
  onTestFinished(() => void child.kill());
  await untilSeen("the browser", () => existsSync(opened));
  const seen = readFileSync(opened, "utf8");
  expect(seen).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#/);
  child.kill("SIGINT");
  await awaited("its end", once(child, "close"));
  const port = await portToKeep();
  const { origin } = await openPage("--port", String(port));
  expect(origin).toBe(`http://127.0.0.1:${port}`);
});

test("an agent cannot act in a page, a port is a number, and the page is offered to this machine alone", () => {
  expect(refusal(2, ["web", "--write"], { env: { CLAUDECODE: "1" } })).toContain("CLAUDECODE is set");
  expect(refusal(2, ["web", "--port", "x"])).toContain("--port takes a port from 0 to 65535");
  expect(refusal(2, ["web", "--person", "Maria"])).toContain("needs --write");
  expect(refusal(2, ["web", "--host", "0.0.0.0"])).toContain("--host");
});
