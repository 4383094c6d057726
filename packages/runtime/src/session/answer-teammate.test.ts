import { randomUUID } from "node:crypto";
import { type InboxEntry, inputDigest, type MessageDraft, revisions } from "@troupe/protocol";
import type { Ask, CallQuestion, Reply } from "@troupe/team";
import { describe, expect, test } from "vitest";
import { permissionMail } from "../../test/permission-mail.ts";
import { bashCall, permitted, ruleBelow } from "../../test/permitted.ts";
import { foreignInbox, gate, waitingFor } from "../../test/team.ts";
import { createQueue } from "../queue.ts";
import { screenOf } from "./screen.ts";

const { signal } = new AbortController();

const request = (name: string, command: string, request_id = "perm-1-aaaaaaa") => ({
  type: "permission_request" as const,
  request_id,
  agent_id: name,
  tool_name: "Bash",
  tool_use_id: "toolu_1",
  description: `run ${command}`,
  input: { command },
  permission_suggestions: [],
});

const send = (mail: Awaited<ReturnType<typeof permissionMail>>, body: MessageDraft, to = "team-lead") =>
  (body["agent_id"] === "bob" ? mail.bob : mail.alice).send(to, { body });

const entry = (from: string, body: object): InboxEntry => ({
  from,
  text: JSON.stringify(body),
  timestamp: "2026-02-13T11:01:02.304Z",
  read: false,
});

const answersIn = ({ seen }: Awaited<ReturnType<typeof permissionMail>>) =>
  seen.flatMap(({ body, entry }) => (body?.type === "permission_response" ? [JSON.parse(entry.text)] : []));

describe.each(revisions)("a lead of %s", (revision) => {
  test("[PPROT-07] [PPROT-08] answers with the input to run with and what is granted, or with the reason why not", async () => {
    const mail = await permissionMail(revision);
    mail.member();
    const updates = [{ type: "setMode" as const, mode: "acceptEdits", destination: "session" }];
    const replies: Reply[] = [
      { behavior: "allow", updatedInput: { command: "make -n" }, updates },
      { behavior: "allow" },
      { behavior: "deny", message: "not on a Friday" },
    ];
    mail.desk(async () => replies.shift() as Reply);
    for (const id of ["perm-1-aaaaaaa", "perm-2-aaaaaaa", "perm-3-aaaaaaa"])
      await send(mail, request("alice", "make", id));
    await mail.until(() => answersIn(mail).length === 3);
    const looked = {
      tool_use_id: "toolu_1",
      tool_name: "Bash",
      input_digest: inputDigest("Bash", { command: "make" }),
    };
    const more = revision === "2026-02" ? {} : { tool_use_id: "toolu_1", approved_request: looked };
    const head = (request_id: string, subtype: string) => ({
      type: "permission_response",
      request_id,
      subtype,
      ...more,
    });
    const expected = [
      {
        ...head("perm-1-aaaaaaa", "success"),
        response: { updated_input: { command: "make -n" }, permission_updates: updates },
      },
      {
        ...head("perm-2-aaaaaaa", "success"),
        response: { updated_input: { command: "make" }, permission_updates: [] },
      },
      { ...head("perm-3-aaaaaaa", "error"), error: "not on a Friday" },
    ];
    expect(answersIn(mail).map((one) => JSON.stringify(one))).toEqual(expected.map((one) => JSON.stringify(one)));
    expect(mail.left).toEqual([]);
  });

  test("[PPROT-10] [PERM-21] a lead shows its person one request after the other with the name and colour of who asks, and writes each answer itself", async () => {
    const mail = await permissionMail(revision);
    const shown: CallQuestion[] = [];
    const dialogs: ((reply: Reply) => void)[] = [];
    let look = () => {};
    const answered: Ask = (question) =>
      new Promise((answer) => {
        shown.push(question);
        dialogs.push(answer);
        look();
      });
    const { ask } = screenOf({
      person: { ask: answered },
      queue: createQueue({ newId: randomUUID }),
      onEvent: () => {},
    });
    const nth = (count: number) =>
      new Promise<void>((resolve) => {
        look = () => shown.length >= count && resolve();
        look();
      });
    mail.desk(ask);
    const [alice, bob] = [mail.alice, mail.bob].map((self) =>
      permitted("/nowhere", "/nowhere", { ask: mail.member(self) }),
    );
    const first = alice?.permit(bashCall("make a"), {}, signal);
    await mail.until(() => mail.requests().length === 1);
    const second = bob?.permit(bashCall("make b"), {}, signal);
    await mail.until(() => mail.requests().length === 2);
    await nth(1);
    expect(shown).toHaveLength(1);
    dialogs[0]?.({ behavior: "allow" });
    expect(await first).toMatchObject({ runs: true });
    await nth(2);
    dialogs[1]?.({ behavior: "deny", message: "no" });
    expect(await second).toMatchObject({ runs: false });
    expect(shown).toMatchObject([
      { tool: "Bash", call: "call", input: { command: "make a" }, from: { name: "alice", color: "blue" } },
      { tool: "Bash", call: "call", input: { command: "make b" }, from: { name: "bob", color: "green" } },
    ]);
    expect(mail.left).toEqual([]);
  });

  test("[PPROT-11] a lead without a screen decides by its own rules, and the member runs what they allow", async () => {
    const mail = await permissionMail(revision);
    const own = permitted("/nowhere", "/nowhere", { rules: [ruleBelow("/nowhere")("allow", "Bash(make:*)")] });
    mail.desk(async ({ input }) => {
      const { behavior, reason } = own.judge(bashCall((input as { command: string }).command));
      return behavior === "allow" ? { behavior } : { behavior: "deny", message: `the lead may not: ${reason}` };
    });
    const { permit } = permitted("/nowhere", "/nowhere", { ask: mail.member() });
    expect(await permit(bashCall("make all"), {}, signal)).toMatchObject({ runs: true });
    expect(await permit(bashCall("ship it"), {}, signal)).toMatchObject({
      runs: false,
      message: expect.stringContaining("the lead may not"),
    });
  });

  test("answers a request once, however often it comes, and requests of two members that share an id each", async () => {
    const mail = await permissionMail(revision);
    mail.member(mail.alice);
    mail.member(mail.bob);
    const asked: unknown[] = [];
    const ids = new Set<string>();
    mail.desk(async ({ from, id }) => {
      asked.push(from?.name);
      ids.add(id);
      return { behavior: "allow" };
    });
    for (const name of ["alice", "alice", "bob", "alice"]) await send(mail, request(name, "make"));
    await send(mail, request("alice", "make", "perm-2-aaaaaaa"));
    await mail.until(() => answersIn(mail).length === 3);
    expect(asked).toEqual(["alice", "bob", "alice"]);
    expect(ids.size).toBe(3);
    expect(mail.left).toEqual([]);
  });

  test("a lead leaves alone what a stranger asks and what cannot be read, and refuses who asks in another's name", async () => {
    const mail = await permissionMail(revision);
    mail.member(mail.bob);
    const asked: CallQuestion[] = [];
    mail.desk(async (question) => {
      asked.push(question);
      return { behavior: "allow" };
    });
    await mail.alice.send("team-lead", { text: "hello" });
    const inbox = foreignInbox(mail, "team-lead");
    await inbox.append(entry("mallory", request("mallory", "make")));
    await inbox.append(entry("alice", { ...request("alice", "make"), input: "make" }));
    await inbox.append(entry("alice", { ...request("alice", "make"), request_id: undefined }));
    await inbox.append(entry("bob", request("alice", "make")));
    await mail.until(() => answersIn(mail).length === 1);
    expect(mail.left.map((one) => one.entry.from)).toEqual(["alice", "mallory", "alice", "alice"]);
    expect(answersIn(mail)).toMatchObject([{ subtype: "error", error: 'bob cannot ask for "alice"' }]);
    expect(asked).toEqual([]);
  });

  test("a lead refuses with the reason when nobody can be asked, and knows of an answer that reached nobody", async () => {
    const mail = await permissionMail(revision);
    mail.member();
    const replies = [
      async () => Promise.reject(new Error("the terminal is gone")),
      async () => mail.team.leave("alice"),
    ];
    mail.desk(async () => {
      await replies.shift()?.();
      return { behavior: "allow" };
    });
    await send(mail, request("alice", "make"));
    await mail.until(() => answersIn(mail).length === 1);
    expect(answersIn(mail)).toMatchObject([{ error: expect.stringContaining("the terminal is gone") }]);
    await send(mail, request("alice", "make", "perm-2-aaaaaaa"));
    await mail.until(() => mail.unsent.length === 1);
    expect(mail.unsent).toEqual([expect.stringMatching(/^An answer did not reach alice: /)]);
  });

  test("a lead that ends takes its questions off the screen and answers none of them", async () => {
    const mail = await permissionMail(revision);
    const ended = new AbortController();
    const [shown, gone] = [gate(), gate()];
    const screen = (_: unknown, signal: AbortSignal) =>
      new Promise<Reply>((answer) => {
        shown.open();
        signal.addEventListener("abort", () => {
          answer({ behavior: "allow" });
          gone.open();
        });
      });
    mail.desk(screen, ended.signal);
    await send(mail, request("alice", "make"));
    await shown.opened;
    ended.abort();
    await gone.opened;
    // Whatever the desk would send was on its way before this.
    await mail.lead.send("alice", { text: "last" });
    expect((await waitingFor(mail.team, "alice")).map(({ text }) => text)).toEqual(["last"]);
  });
});
