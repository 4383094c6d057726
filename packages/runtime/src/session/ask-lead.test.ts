import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inputDigest, type MessageDraft, permissionModes, revisions } from "@troupe/protocol";
import type { Ask } from "@troupe/team";
import { describe, expect, test } from "vitest";
import { callBy } from "../../test/calls.ts";
import { permissionMail } from "../../test/permission-mail.ts";
import { bashCall, permitted } from "../../test/permitted.ts";
import { scratch } from "../../test/scratch.ts";
import { foreignInbox } from "../../test/team.ts";
import { workbench } from "../../test/workbench.ts";
import type { WorkingMode } from "../permissions/ruling.ts";

const { signal } = new AbortController();

/** A teammate with tools and permissions of its own; what it may not decide alone it asks. */
function teammate(ask: Ask, mode: WorkingMode = "acceptEdits") {
  const { cwd, toolCalled, agent } = workbench();
  const permissions = permitted(cwd, cwd, { mode, ask, newId: randomUUID });
  return {
    cwd,
    permissions,
    /** The whole way of a call; undefined when it was not run. */
    async use(name: string, input: object, over = signal) {
      const tool = toolCalled(name);
      const judgement = await permissions.permit({ id: "toolu_1", tool, input }, {}, over);
      if (!judgement.runs) return judgement.message;
      await tool.run(judgement.input, callBy(agent, { signal }));
      return undefined;
    },
  };
}

describe.each(revisions)("a teammate of %s", (revision) => {
  test("[ATP-PRM-001] [PPROT-01] [ATP-INB-017] a teammate that accepts edits asks the lead before it writes outside the project, and what runs is the input as the lead edited it", async () => {
    const mail = await permissionMail(revision);
    const { use } = teammate(mail.member());
    const outside = scratch();
    const file_path = join(outside, "made.txt");
    const updates = [{ type: "addDirectories" as const, directories: [outside], destination: "session" }];
    mail.desk(async () => ({ behavior: "allow", updatedInput: { file_path, content: "edited" }, updates }));
    expect(await use("Write", { file_path, content: "as asked" })).toBeUndefined();
    expect(readFileSync(file_path, "utf8")).toBe("edited");
    const [request] = mail.seen;
    expect(request?.entry).toMatchObject({ from: "alice", color: "blue" });
    expect(request?.entry).not.toHaveProperty("summary");
    expect(request?.body).toEqual({
      type: "permission_request",
      request_id: expect.stringMatching(/^perm-\d+-[a-z0-9]{7}$/),
      agent_id: "alice",
      tool_name: "Write",
      tool_use_id: "toolu_1",
      description: expect.stringContaining(file_path),
      input: { file_path, content: "as asked" },
      permission_suggestions: updates,
    });
    await use("Write", { file_path: join(outside, "second.txt"), content: "granted before" });
    expect(existsSync(join(outside, "second.txt"))).toBe(true);
    expect(mail.requests()).toHaveLength(1);
  });

  test("[ATP-PRM-004] [PPROT-09] a teammate asks nothing to read in the project, and to read, write or make a directory outside it each time", async () => {
    const mail = await permissionMail(revision);
    const { cwd, use } = teammate(mail.member());
    const outside = scratch();
    for (const directory of [cwd, outside]) writeFileSync(join(directory, "a.txt"), "a");
    mail.desk(async () => ({ behavior: "allow" }));
    expect(await use("Read", { file_path: join(cwd, "a.txt") })).toBeUndefined();
    expect(mail.requests()).toEqual([]);
    const made = join(outside, "made");
    await use("Bash", { command: `mkdir ${made}`, description: "Make a directory outside the project" });
    await use("Write", { file_path: join(made, "b.txt"), content: "b" });
    await use("Read", { file_path: join(outside, "a.txt") });
    expect(mail.requests().map(({ tool_name, description }) => [tool_name, description])).toEqual([
      ["Bash", "Make a directory outside the project"],
      ["Write", expect.stringContaining("outside")],
      ["Read", expect.stringContaining("outside")],
    ]);
    expect(readFileSync(join(made, "b.txt"), "utf8")).toBe("b");
  });

  test("[ATP-PRM-003] a teammate that is refused does nothing and knows the reason", async () => {
    const mail = await permissionMail(revision);
    const { use } = teammate(mail.member());
    const file_path = join(scratch(), "made.txt");
    mail.desk(async () => ({ behavior: "deny", message: "not on a Friday" }));
    expect(await use("Write", { file_path, content: "" })).toContain("not on a Friday");
    expect(existsSync(file_path)).toBe(false);
  });

  test("[ATP-PRM-002] [ATP-PRM-005] a teammate waits until the lead answers with the id of its request: neither another member nor another id counts", async () => {
    const mail = await permissionMail(revision);
    const { permissions } = teammate(mail.member());
    mail.deafLead();
    let isOver = false;
    const judgement = permissions.permit(bashCall("make"), {}, signal).finally(() => {
      isOver = true;
    });
    await mail.until(() => mail.requests().length === 1);
    const id = mail.requests()[0]?.request_id ?? "";
    await mail.bob.send("alice", { body: allowing(id, "make forged") });
    await mail.lead.send("alice", { body: allowing("perm-1-aaaaaaa", "make another") });
    await mail.until(() => mail.seen.length === 3);
    expect(isOver).toBe(false);
    expect(mail.left.map(({ entry }) => entry.from)).toEqual(["alice", "bob"]);
    await mail.lead.send("alice", { body: allowing(id, "make real") });
    expect(await judgement).toEqual({ runs: true, input: { command: "make real" } });
  });

  test("[ATP-PRM-006] [QUEUE-09] a teammate runs a call once: a second answer does nothing, and one to a request that was given up is known to be late", async () => {
    const mail = await permissionMail(revision);
    const earlier = { handshake: "permission", id: "perm-1-earlier" } as const;
    const { permissions } = teammate(mail.member(mail.alice, [{ kind: "asked", ...earlier, to: "team-lead" }]));
    mail.deafLead();
    const first = permissions.permit(bashCall("make"), {}, signal);
    await mail.until(() => mail.requests().length === 1);
    const updates = [{ type: "setMode" as const, mode: "dontAsk", destination: "session" }];
    const answers = [
      allowing(mail.requests()[0]?.request_id ?? "", "make"),
      allowing("perm-1-earlier", "make", updates),
    ];
    for (const body of [answers[0], ...answers] as MessageDraft[]) await mail.lead.send("alice", { body });
    expect(await first).toMatchObject({ runs: true });
    const interrupted = new AbortController();
    const second = permissions.permit(bashCall("make x"), {}, interrupted.signal);
    await mail.until(() => mail.requests().length === 2);
    interrupted.abort();
    expect(await second).toMatchObject({ runs: false });
    const id = mail.requests()[1]?.request_id ?? "";
    await mail.lead.send("alice", { body: allowing(id, "make x", updates) });
    await mail.until(() => mail.late.length === 2);
    expect(mail.late).toMatchObject([
      { id: "perm-1-earlier" },
      {
        id,
        result: "allowed",
        text: expect.stringContaining("whether Bash may run (call) came after the request was given up"),
      },
    ]);
    expect(permissions.mode()).toBe("acceptEdits");
    expect(mail.left.map(({ entry }) => entry.from)).toEqual(["alice", "alice"]);
  });

  test("[ATP-PRM-101] a teammate does not run a call that the answer does not describe", async () => {
    const mail = await permissionMail(revision);
    const { permissions } = teammate(mail.member());
    mail.deafLead();
    const right = { tool_use_id: "call", tool_name: "Bash", input_digest: inputDigest("Bash", { command: "make" }) };
    const wrong = [
      { ...right, tool_use_id: "toolu_2" },
      { ...right, tool_name: "Write" },
      { ...right, input_digest: inputDigest("Bash", { command: "make x" }) },
    ];
    const messages: unknown[] = [];
    for (const approved_request of [...wrong, right]) {
      const count = mail.requests().length + 1;
      const judgement = permissions.permit(bashCall("make"), {}, signal);
      await mail.until(() => mail.requests().length === count);
      const answer = { ...allowing(mail.requests().at(-1)?.request_id ?? "", "make"), approved_request };
      await asIs(mail, JSON.stringify(answer));
      const said = await judgement;
      messages.push(said.runs || said.message);
    }
    const refusal = expect.stringContaining("did not describe this tool call");
    expect(messages).toEqual([refusal, refusal, refusal, true]);
  });

  test("[ATP-PRM-102] a teammate runs a call whose answer says nothing of what was looked at", async () => {
    const mail = await permissionMail(revision);
    const { permissions } = teammate(mail.member());
    mail.deafLead();
    const judgement = permissions.permit(bashCall("make"), {}, signal);
    await mail.until(() => mail.requests().length === 1);
    await mail.lead.send("alice", { body: allowing(mail.requests()[0]?.request_id ?? "", "make") });
    await mail.until(() => mail.seen.length === 2);
    expect(mail.seen[1]?.body).not.toHaveProperty("approved_request");
    expect(await judgement).toMatchObject({ runs: true });
  });

  test("a teammate takes an answer that is there before the store has said that the request is", async () => {
    const mail = await permissionMail(revision);
    const slow: typeof mail.alice.send = async (to, content) => {
      const message = await mail.alice.send(to, content);
      await mail.until(() => mail.seen.length === 2);
      return message;
    };
    const ask = mail.member({ ...mail.alice, send: slow });
    mail.desk(async () => ({ behavior: "allow" }));
    expect(await teammate(ask).permissions.permit(bashCall("make"), {}, signal)).toMatchObject({ runs: true });
    expect(mail.late).toEqual([]);
  });

  test("a teammate whose lead cannot be reached is told so and runs nothing", async () => {
    const mail = await permissionMail(revision);
    const ask = mail.member({ ...mail.alice, send: (_, content) => mail.alice.send("nobody", content) });
    expect(await teammate(ask).permissions.permit(bashCall("make"), {}, signal)).toMatchObject({
      runs: false,
      message: expect.stringContaining("there is no nobody in crew"),
    });
  });

  test("[PERM-18] a teammate is put into the mode of a fork by no answer, nor into one that its user has not enabled", async () => {
    const mail = await permissionMail(revision);
    const cwd = scratch();
    const permissions = permitted(cwd, cwd, { ask: mail.member(), isBypassAvailable: false, mode: "acceptEdits" });
    const updates = ["bubble", "bypassPermissions"].map((mode) => ({
      type: "setMode" as const,
      mode,
      destination: "session",
    }));
    mail.desk(async () => ({ behavior: "allow", updates }));
    expect(await permissions.permit(bashCall("make"), {}, signal)).toMatchObject({ runs: true });
    expect(mail.seen.at(-1)?.body).toMatchObject({ response: { permission_updates: updates } });
    expect(permissions.mode()).toBe("acceptEdits");
    expect(permissionModes[revision]).not.toContain("bubble");
  });
});

const allowing = (
  request_id: string,
  command: string,
  permission_updates: { type: "setMode"; mode: string; destination: string }[] = [],
) => ({
  type: "permission_response" as const,
  request_id,
  subtype: "success" as const,
  response: { updated_input: { command }, permission_updates },
});

/** An answer of the lead's as another program writes it. */
const asIs = (mail: Awaited<ReturnType<typeof permissionMail>>, text: string) =>
  foreignInbox(mail, "alice").append({ from: "team-lead", text, timestamp: new Date().toISOString(), read: false });
