import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type LoggedRequest, type MessagesRequest, type Rule, toolUse } from "@troupe/fake-anthropic";
import { type Revision, revisions } from "@troupe/protocol";
import { expect, test } from "vitest";
import { awaited, untilSeen } from "../../../../scripts/awaited.ts";
import { faked } from "../../test/faked.ts";
import { gone, isAlive } from "../../test/hooked.ts";
import { placeAt } from "../../test/place.ts";
import { server, starts } from "../../test/served.ts";
import { changed, opened, settled, turn } from "../../test/sessions.ts";
import { gate } from "../../test/team.ts";
import { openMcp } from "../mcp/mcp.ts";
import type { Session } from "../session/session.ts";
import type { Workspaces } from "../workspace.ts";

const sent = ({ json }: LoggedRequest) => json as MessagesRequest;
const task = (prompt: string, more: object = {}) =>
  toolUse("Agent", { description: prompt, prompt, run_in_background: true, ...more });
const firstWords = ({ messages }: MessagesRequest) => String(messages[0]?.content[0]?.["text"]);
const withoutMarks = ({ messages }: MessagesRequest) =>
  messages.map(({ role, content }) => ({ role, content: content.map(({ cache_control: _, ...block }) => block) }));
const resultsIn = ({ messages }: MessagesRequest) =>
  messages.flatMap(({ content }) => content.filter(({ type }) => type === "tool_result"));
const own = (requests: readonly LoggedRequest[]) => requests.map(sent).filter((one) => firstWords(one) === "go");
const noticesOf = (id: string, { messages }: MessagesRequest) =>
  messages.flatMap(({ role, content }) =>
    role === "user" ? content.filter(({ text }) => String(text).includes(`<task-id>${id}</task-id>`)) : [],
  );
/** What ends an agent is over, and what was to be told is told: turns until nothing waits. */
async function heard(session: Session): Promise<void> {
  await settled(session);
  while (session.queue.waiting().length > 0) await turn(session);
}
const idOf = (session: Session, description: string) =>
  session.jobs.all().find(({ command }) => command === description)?.id ?? expect.unreachable(description);

test.each(revisions)(
  "[ATP-SUB-005] in %s a report from the background comes as a new message, and what was sent before stays as it was, byte by byte",
  async (revision) => {
    const free = gate();
    const rule: Rule = async (request) => {
      if (firstWords(request) === "look") {
        await free.opened;
        return "The attic is empty.";
      }
      return request.messages.length === 1 ? task("look") : "Done.";
    };
    const { deps, fake } = await faked({ rule }, { revision });
    const session = opened(deps);
    await turn(session, "go");
    const before = own(fake.requests).at(-1) ?? expect.unreachable();
    expect(JSON.stringify(resultsIn(before))).not.toContain("The attic is empty.");
    free.open();
    await heard(session);
    const after = own(fake.requests).at(-1) ?? expect.unreachable();
    expect(JSON.stringify(withoutMarks(after).slice(0, 3))).toBe(JSON.stringify(withoutMarks(before)));
    expect(withoutMarks(after).slice(3)).toMatchObject([
      { role: "assistant" },
      { role: "user", content: [{ text: expect.stringMatching(/<task-notification>[\s\S]*The attic is empty\./) }] },
    ]);
  },
);

test.each(revisions)(
  "[ATP-SUB-006] in %s an end is told once, whether somebody waited for the agent, stopped it, let it go on or looked at it, and also after the session was opened again",
  async (revision) => {
    const names = ["plain", "stopped", "stopped by hand", "let go", "looked at", "awaited"];
    const free = gate();
    const look = (name: string, block: boolean) =>
      revision === "2026-02" ? [toolUse("TaskOutput", { task_id: idOf(session, name), block, timeout: 20_000 })] : [];
    const rule: Rule = async (request) => {
      if (names.includes(firstWords(request))) {
        await free.opened;
        return "A report.";
      }
      const { length } = request.messages;
      if (length === 1) return names.map((name) => task(name, { run_in_background: name !== "let go" }));
      if (length === 3)
        return [...look("looked at", false), toolUse("TaskStop", { task_id: idOf(session, "stopped") })];
      return length === 5 && revision === "2026-02" ? look("awaited", true) : "Done.";
    };
    const { deps, fake } = await faked({ rule }, { revision });
    const session = opened(deps);
    const jobOf = (name: string) => session.jobs.all().find(({ command }) => command === name);
    const turning = turn(session, "go");
    await untilSeen("all at work", () => session.jobs.running().length === names.length);
    jobOf("let go")?.toBackground();
    await untilSeen("the end of one", () => jobOf("stopped")?.status() === "killed");
    await Promise.all([jobOf("stopped by hand")?.stop(), jobOf("stopped by hand")?.stop()]);
    if (revision === "2026-02") await untilSeen("the call that waits", () => own(fake.requests).length === 3);
    free.open();
    await awaited("the end of the turn", turning);
    await heard(session);
    const ids = names.map((name) => idOf(session, name));
    await session.close();
    const again = opened(changed(deps, { sessionId: session.id }));
    await turn(again, "and now?");
    await heard(again);
    const last = own(fake.requests).at(-1) ?? expect.unreachable();
    expect(ids.map((id) => noticesOf(id, last).length)).toEqual([1, 0, 1, 1, 1, revision === "2026-02" ? 0 : 1]);
  },
);

test.each(revisions)(
  "[ATP-SUB-007] in %s an agent has ended for all who look while its worktree is still given back, and its end is told after that",
  async (revision) => {
    const [begun, free] = [gate(), gate()];
    const workspaces: Workspaces = {
      async open() {
        return placeAt(cwd, {
          async leave() {
            begun.open();
            await free.opened;
            return { isChanged: false };
          },
        });
      },
    };
    const rule: Rule = async (request) => {
      if (firstWords(request).startsWith("look\n")) return "A report.";
      const { length } = request.messages;
      if (length === 1) return task("look", { isolation: "worktree" });
      if (length > 3) return "Done.";
      await begun.opened;
      return toolUse("TaskStop", { task_id: idOf(session, "look") });
    };
    const { deps, fake, cwd } = await faked({ rule }, { revision, workspaces });
    const session = opened(deps);
    await turn(session, "go");
    const [job] = session.jobs.all();
    expect([job?.status(), session.queue.waiting(), session.jobs.running()]).toEqual(["completed", [], []]);
    expect(session.jobs.unsettled()).toEqual([job]);
    free.open();
    await heard(session);
    const last = own(fake.requests).at(-1) ?? expect.unreachable();
    expect(JSON.stringify(resultsIn(last))).toContain("does not run: it is completed");
    expect(noticesOf(job?.id ?? "", last)).toHaveLength(1);
  },
);

test.each(revisions)(
  "[ATP-SUB-009] in %s TaskStop fails for an agent and a shell that have ended, twice for one that it stopped, and for an id that nobody has",
  async (revision) => {
    const rule: Rule = async (request) => {
      if (firstWords(request) === "look") return "A report.";
      if (firstWords(request) === "wait") return toolUse("Bash", { command: "sleep 60" });
      const { length } = request.messages;
      if (length === 1) return [task("look"), task("wait"), toolUse("Bash", { command: ":", run_in_background: true })];
      if (length > 5) return "Done.";
      const shell = /\bb[0-9a-f]{16}\b/.exec(JSON.stringify(resultsIn(request)))?.[0] ?? expect.unreachable();
      const stop = (id: string) => toolUse("TaskStop", { task_id: id });
      if (length === 3) return [toolUse("TaskOutput", { task_id: shell, block: true }), stop(idOf(session, "wait"))];
      return [stop(idOf(session, "look")), stop(shell), stop(idOf(session, "wait")), stop("a0123456789abcdef")];
    };
    const { deps, fake } = await faked({ rule }, { revision, mode: "bypassPermissions", isBypassAvailable: true });
    const session = opened(deps);
    await turn(session, "go");
    await heard(session);
    const results = resultsIn(own(fake.requests).at(-1) ?? expect.unreachable());
    const [, , , , stopped, ...refused] = results.map(({ content, is_error = false }) => [
      is_error,
      JSON.stringify(content),
    ]);
    expect(stopped).toEqual([false, expect.stringContaining("Stopped task")]);
    expect(refused).toEqual([
      [true, expect.stringMatching(/does not run: it is completed/)],
      [true, expect.stringMatching(/does not run: it is completed/)],
      [true, expect.stringMatching(/does not run: it is killed/)],
      [true, expect.stringMatching(/There is no task a0123456789abcdef/)],
    ]);
    expect(session.jobs.all().map((job) => job.status())).toEqual(["completed", "killed"]);
  },
);

test.each(revisions)(
  "[ATP-SUB-010] in %s what waits is heard in the order now, next, later, so that a notice goes ahead of no words of a person",
  async (revision) => {
    const free = gate();
    const rule: Rule = async (request) => {
      if (firstWords(request) === "look") return "A report.";
      if (request.messages.length === 1) return task("look");
      await free.opened;
      return "Done.";
    };
    const { deps, fake } = await faked({ rule }, { revision });
    const session = opened(deps);
    await session.submit("go");
    const turning = turn(session);
    await untilSeen("the second request", () => own(fake.requests).length === 2);
    await untilSeen("the notice", () => session.queue.waiting().length === 1);
    session.tell("said later", { priority: "later" });
    session.tell("one of a person");
    session.tell("two of a person");
    session.tell("this cannot wait", { priority: "now" });
    free.open();
    await awaited("the end of the turn", turning);
    while (session.queue.waiting().length > 0) await turn(session);
    const talk = JSON.stringify(withoutMarks(own(fake.requests).at(-1) ?? expect.unreachable()));
    const order = ["this cannot wait", "one of a person", "two of a person", "<task-notification>", "said later"];
    expect(order.toSorted((one, other) => talk.indexOf(one) - talk.indexOf(other))).toEqual(order);
    expect(order.filter((one) => !talk.includes(one))).toEqual([]);
  },
);

test.each<[Revision, boolean]>([
  ["2026-02", false],
  ["2026-02", true],
  ["2026-11", false],
  ["2026-11", true],
])(
  "[ATP-SUB-014] in %s (in the background: %s) the server that a definition defines ends with its agent, and the one that it names goes on for others",
  async (revision, run_in_background) => {
    const echo = (name: string) => toolUse(`mcp__${name}__echo`, { words: "here I am" });
    const rule: Rule = (request) => {
      const { length } = request.messages;
      if (firstWords(request) === "look") return length === 1 ? [echo("own"), echo("box")] : "Done.";
      if (length === 1) return task("look", { subagent_type: "boxer", run_in_background });
      return JSON.stringify(request.messages.at(-1)).includes("and you?") ? echo("box") : "Done.";
    };
    const { deps, fake, cwd, define, trust } = await faked(
      { rule },
      {
        revision,
        openMcp,
        settings: { mcpServers: { box: server() } },
        mode: "bypassPermissions",
        isBypassAvailable: true,
      },
    );
    define("boxer", { mcpServers: ["box", { own: server() }] });
    trust();
    const session = opened(deps);
    await turn(session, "go");
    await heard(session);
    const [box = 0, inline = 0, ...more] = starts(cwd);
    await gone(inline);
    expect([isAlive(box), more]).toEqual([true, []]);
    await turn(session, "and you?");
    const said = (request: MessagesRequest | undefined) =>
      JSON.stringify(request && resultsIn(request)).match(/here I am/g);
    expect(said(fake.requests.map(sent).findLast((one) => firstWords(one) === "look"))).toHaveLength(2);
    expect(said(own(fake.requests).at(-1))).toHaveLength(1);
  },
);

test("[ATP-SUB-105] in 2026-11 the output of an agent is a link to its transcript, beside which its facts stand; that of a shell is a file", async () => {
  const rule: Rule = (request) => {
    if (firstWords(request) === "look") return "The attic is empty.";
    if (request.messages.length > 1) return "Done.";
    return [task("look"), toolUse("Bash", { command: "echo the shell", run_in_background: true })];
  };
  const { deps, fake, home } = await faked(
    { rule },
    { revision: "2026-11", mode: "bypassPermissions", isBypassAvailable: true },
  );
  const session = opened(deps);
  await turn(session, "go");
  await heard(session);
  const told = JSON.stringify(resultsIn(own(fake.requests).at(-1) ?? expect.unreachable()));
  const agents = /output_file: (\S+?)\\n/.exec(told)?.[1] ?? "";
  const shells = /Its output is in (\S+?)\. /.exec(told)?.[1] ?? "";
  const id = idOf(session, "look");
  const directory = join(session.transcript.replace(/\.jsonl$/, ""), "subagents");
  expect([basename(agents), dirname(agents).startsWith(join(home, "tmp"))]).toEqual([`${id}.output`, true]);
  expect(dirname(agents)).toContain(`/${session.id}/tasks`);
  expect(readlinkSync(agents)).toBe(join(directory, `agent-${id}.jsonl`));
  expect(readFileSync(agents, "utf8")).toContain("The attic is empty.");
  expect(JSON.parse(readFileSync(join(directory, `agent-${id}.meta.json`), "utf8"))).toMatchObject({ finished: true });
  expect([lstatSync(agents).isSymbolicLink(), lstatSync(shells).isFile()]).toEqual([true, true]);
  expect(readFileSync(shells, "utf8")).toBe("the shell\n");
});
