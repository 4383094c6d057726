import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import type { Revision } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { describe, expect, test } from "vitest";
import { openLeads, toldTo, usedIn } from "../led-team.ts";
import { describeWith } from "../require.ts";

const { home, root, stage, expectNothingLeft } = openLeads();
const mcpServer = join(import.meta.dirname, "../../packages/runtime/test/mcp-server.mjs");

/** What a session finds besides what it is told: instructions, a skill, an MCP server. */
function furnish(): void {
  mkdirSync(join(root, "skills/sorting"), { recursive: true });
  writeFileSync(join(root, "skills/sorting/SKILL.md"), "---\nname: sorting\ndescription: How we sort.\n---\nSort.\n");
  writeFileSync(join(root, "CLAUDE.md"), "Words of the user.");
  const mcpServers = { memo: { command: process.execPath, args: [mcpServer] } };
  writeFileSync(join(root, "settings.json"), JSON.stringify({ mcpServers, permissions: { allow: ["Bash"] } }));
}

const isMate = ({ system }: MessagesRequest) => /You are ann in the team/.test(JSON.stringify(system));
const textIn = ({ messages }: MessagesRequest) => JSON.stringify(messages);
const times = (text: string, words: string) => text.split(words).length - 1;

/** The files of the one team, as they are at this moment. */
function files() {
  const [name = ""] = readdirSync(join(root, "teams")).filter((one) => !one.includes(".deleted-"));
  const at = join(root, "teams", name);
  const parsed = (path: string) => JSON.parse(readFileSync(path, "utf8"));
  const inboxes = readdirSync(at).includes("inboxes") ? readdirSync(join(at, "inboxes")) : [];
  return {
    name,
    members: parsed(join(at, "config.json")).members as { readonly name: string; readonly [key: string]: unknown }[],
    mail: Object.fromEntries(
      inboxes
        .filter((file) => file.endsWith(".json"))
        .map((file) => [file.slice(0, -5), parsed(join(at, "inboxes", file))]),
    ) as Record<string, { readonly from: string; readonly text: string; readonly [key: string]: unknown }[]>,
  };
}

/** A whole life: ann is given a task before she begins, works, rests, is woken, and is let go. */
async function live(where: string, revision: Revision, beforeSpawn = () => {}) {
  furnish();
  const asked: { readonly request: MessagesRequest; readonly on: ReturnType<typeof files> }[] = [];
  const seen: ReturnType<typeof files>[] = [];
  let heard = "";
  const send = (to: string, message: object | string) => toolUse("SendMessage", { to, summary: "a word", message });

  function mate(request: MessagesRequest) {
    asked.push({ request, on: files() });
    const said = textIn(request);
    const used = usedIn(request);
    const [, request_id] = /request_?[iI]d[^a-z]*(shutdown-\d+@ann)/.exec(said) ?? [];
    const isSaid = used.includes("SendMessage") && times(said, '"approve":true') > 0;
    if (request_id !== undefined && !isSaid)
      return [send("team-lead", { type: "shutdown_response", request_id, approve: true })];
    if (!used.includes("TaskUpdate"))
      return [
        toolUse("TaskUpdate", { taskId: "1", status: "in_progress", owner: "ann" }),
        toolUse("Agent", { name: "bob", description: "more", prompt: "help", subagent_type: "general-purpose" }),
        toolUse("Bash", { command: 'printf %s "$OF_THE_SHELL"', description: "look" }),
      ];
    return said.includes("the second part") ? "I did the second part." : "I did the first part.";
  }

  function lead(request: MessagesRequest) {
    const said = textIn(request);
    const used = usedIn(request);
    const sent = used.filter((name) => name === "SendMessage").length;
    if (revision === "2026-02" && !used.includes("TeamCreate")) return [toolUse("TeamCreate", { team_name: "crew" })];
    if (!used.includes("TaskCreate")) return [toolUse("TaskCreate", { subject: "Sort", description: "all of it" })];
    if (!used.includes("Agent")) beforeSpawn();
    if (!used.includes("Agent"))
      return [
        toolUse("Agent", { name: "ann", description: "d", prompt: "Your part.", subagent_type: "general-purpose" }),
      ];
    if (!used.includes("TeamDelete")) seen.push(files());
    heard = toldTo(request);
    if (times(said, "idle_notification") === 1 && sent === 0) return [send("ann", "Now the second part.")];
    if (times(said, "idle_notification") === 2 && sent === 1)
      return [
        revision === "2026-02"
          ? toolUse("SendMessage", { type: "shutdown_request", recipient: "ann", content: "all is done" })
          : send("ann", { type: "shutdown_request", reason: "all is done" }),
      ];
    if (!said.includes("shutdown_approved") || revision === "2026-11") return "I wait.";
    return used.includes("TeamDelete") ? "All is done." : [toolUse("TeamDelete", {})];
  }

  const { lead: begin, cwd } = await stage((request) => (isMate(request) ? mate(request) : lead(request)), {
    TMUX_TMPDIR: home,
    OF_THE_SHELL: "Words of the shell.",
  });
  writeFileSync(join(cwd, "CLAUDE.md"), "Words of the project.");
  const { status, stderr } = await begin(where, "--revision", revision).over();
  expect({ status, stderr: where === "tmux" ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  expectNothingLeft();
  const events: string[] = [];
  const name = seen.at(-1)?.name ?? "";
  for await (const { by, event } of openFileStore({ root }).past(name)) {
    const { kind, phase } = event as { readonly kind: string; readonly phase?: string };
    events.push([by, kind, phase].filter((word) => word !== undefined).join(" "));
  }
  return { asked, seen, events, heard };
}

type Life = Awaited<ReturnType<typeof live>>;
type Where = "in-process" | "process" | "tmux";

/** Of a process the roster says nothing, as of a member that joined by itself. */
const places: Readonly<Record<Where, object>> = {
  "in-process": { tmuxPaneId: "in-process", backendType: "in-process" },
  process: { tmuxPaneId: "" },
  tmux: { tmuxPaneId: expect.stringMatching(/^%\d+$/), backendType: "tmux" },
};

function expectLives(where: Where, revision: Revision): void {
  let played: Promise<Life> | undefined;
  /** It is lived once, in the first of the tests that look at it. */
  async function lived() {
    played ??= live(where, revision);
    const life = await played;
    const nth = (n: number) => {
      const one = life.asked[n];
      if (!one) throw new Error(`ann asked only ${life.asked.length} times`);
      return one;
    };
    return { ...life, nth };
  }

  test("[ATP-LIF-001] [TEAM-10] the entry is in the roster before the first turn, and says where the teammate runs", async () => {
    const life = await lived();
    const entry = life.nth(0).on.members.find(({ name }) => name === "ann");
    expect(entry).toMatchObject({ agentType: "general-purpose", prompt: "Your part.", color: "blue" });
    const [lead, ann] = life.seen.find(({ members }) => members.length > 1)?.members ?? [];
    expect(lead?.["tmuxPaneId"]).toBe(revision === "2026-02" ? "" : "leader");
    expect(ann).toMatchObject(places[where]);
    if (where === "process") expect(ann).not.toHaveProperty("backendType");
  });

  test("[INBOX-02] [ATP-INB-009] the prompt is the first entry of the inbox, without summary and colour; in the lead's own process it is told once and is no entry", async () => {
    const life = await lived();
    const { request, on } = life.nth(0);
    expect(times(textIn(request), "Your part.")).toBe(1);
    const [first] = life.seen.flatMap(({ mail }) => mail["ann"] ?? []);
    if (where === "in-process") return expect([on.mail["ann"] ?? [], first?.text]).not.toContain("Your part.");
    expect(first).toMatchObject({ from: "team-lead", text: "Your part." });
    expect(Object.keys(first ?? {})).not.toEqual(expect.arrayContaining(["summary"]));
    expect(first).not.toHaveProperty("color");
  });

  test("[TEAM-18] [ATP-LIF-011] it has instructions, skills and MCP servers, and nothing of what the lead said or heard", async () => {
    const life = await lived();
    const { system, messages, tools } = life.nth(0).request;
    const given = JSON.stringify([system, messages, tools]);
    for (const words of ["Words of the user.", "Words of the project.", "sorting"]) expect(given).toContain(words);
    expect(given).toContain("mcp__memo__echo");
    for (const { request } of life.asked) expect(JSON.stringify(request)).not.toContain("do it as a team");
  });

  test("[TEAM-31] it begins with instructions, definitions of its tools, its team and who is in it, and the variables of its lead's shell", async () => {
    const life = await lived();
    const { request, on } = life.nth(0);
    const system = JSON.stringify(request.system);
    for (const words of ["Words of the user.", "Words of the project."]) expect(system).toContain(words);
    expect(on.members.map(({ name }) => name)).toEqual(["team-lead", "ann"]);
    expect(system).toContain(
      `You are ann in the team ${on.name}. Its members:\\n\\n- team-lead (team-lead)\\n- ann (general-purpose)`,
    );
    const tools = request["tools"] as { readonly name: string; readonly input_schema: object }[];
    expect(tools.find(({ name }) => name === "SendMessage")?.input_schema).toHaveProperty("properties.message");
    expect(textIn(life.nth(1).request)).toContain("Words of the shell.");
  });

  test("[LIFE-06] [ATP-LIF-012] it has the tools of its type, changes tasks, writes to others, and adds nobody to the team", async () => {
    const life = await lived();
    const names = (life.nth(0).request["tools"] as { readonly name: string }[]).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["Read", "Edit", "Bash", "Grep", "TaskUpdate", "SendMessage"]));
    const results = textIn(life.nth(1).request);
    expect(results).toMatch(/Task #1 is yours and in progress/);
    expect(results).toMatch(/a teammate cannot add teammates/);
    expect(life.seen.flatMap(({ members }) => members.map(({ name }) => name))).not.toContain("bob");
  });

  test("[INBOX-14] [ATP-INB-023] what is sent stands in the inbox file, and says that it was read or is taken out", async () => {
    const life = await lived();
    const mail = life.seen.at(-1)?.mail ?? {};
    const kept = (name: string, words: string) => (mail[name] ?? []).filter(({ text }) => text.includes(words));
    const isKept = revision === "2026-02";
    expect(kept("ann", "Now the second part.")).toEqual(isKept ? [expect.objectContaining({ read: true })] : []);
    expect(kept("team-lead", "idle_notification")).toHaveLength(isKept ? 2 : 0);
    expect(Object.keys(mail).sort()).toEqual(["ann", "team-lead"]);
  });

  test("[ATP-SND-010] [LIFE-04] it works, rests, is woken by a message without asking for one, and is stopped", async () => {
    const life = await lived();
    const states = life.events.filter((one) => /^ann (turn|idle)|spawned|stopped/.test(one));
    const turn = ["ann turn began", "ann turn ended"];
    const spawned = states.indexOf("team-lead spawned");
    expect(spawned).toBeGreaterThanOrEqual(0);
    expect(states.toSpliced(spawned, 1)).toEqual([
      ...turn,
      "ann idle",
      ...turn,
      "ann idle",
      ...turn,
      "team-lead stopped",
      // Of itself, where its team was still there.
      ...(revision === "2026-11" ? ["team-lead stopped"] : []),
    ]);
    // Two requests for the part with its calls, one for the second, one or two to agree to end.
    expect(life.asked.length).toBeLessThanOrEqual(5);
    expect(textIn(life.nth(2).request)).toContain("Now the second part.");
  });

  test("[ATP-MEM-104] a teammate in a pane says in its entry that it has a turn, and that it has none; of others the entry says nothing", async () => {
    const life = await lived();
    const activeIn = ({ members }: ReturnType<typeof files>) =>
      members.flatMap(({ name, isActive }) => (name === "ann" ? [isActive] : []));
    const atWork = life.asked.flatMap(({ on }) => activeIn(on));
    const atRest = life.seen.flatMap(activeIn);
    if (where !== "tmux") return expect([...atWork, ...atRest].every((one) => one === undefined)).toBe(true);
    expect(atWork.every((one) => one === true)).toBe(true);
    expect(atRest).toContain(false);
    expect(life.seen.flatMap(({ members }) => members.filter(({ name }) => name === "team-lead"))).not.toContainEqual(
      expect.objectContaining({ isActive: expect.anything() }),
    );
  });

  test("[ATP-MSG-021] [ATP-MSG-022] [ATP-MSG-107] its end is told to the lead's model with the tasks it leaves, and stands in no inbox", async () => {
    const life = await lived();
    const end =
      revision === "2026-02"
        ? "Task ann@crew (type: in_process_teammate) (status: completed)"
        : '<teammate-message teammate_id="system">\n{"type":"teammate_terminated","message":"ann has shut down. 1 task(s) were unassigned: ';
    expect(life.heard).toContain(end);
    expect(JSON.stringify([...life.seen, ...life.asked.map(({ on }) => on)])).not.toContain("teammate_terminated");
  });
}

test("[ATP-MSG-009] [ATP-INB-027] [INBOX-25] what came before a teammate stays in its inbox, its prompt behind it, and is heard; the content of a request to end is its reason", async () => {
  const before = { from: "team-lead", text: "Before you came.", timestamp: new Date().toISOString(), read: false };
  const life = await live("process", "2026-02", () => {
    mkdirSync(join(root, "teams/crew/inboxes"));
    writeFileSync(join(root, "teams/crew/inboxes/ann.json"), JSON.stringify([before]));
  });
  const mail = life.seen.at(-1)?.mail["ann"] ?? [];
  expect(mail.slice(0, 3).map(({ text }) => text)).toEqual(["Before you came.", "Your part.", "Now the second part."]);
  expect(JSON.parse(mail[3]?.text ?? "")).toMatchObject({ type: "shutdown_request", reason: "all is done" });
  const heard = textIn(life.asked.at(-1)?.request as MessagesRequest);
  for (const words of ["Before you came.", "Your part."]) expect(times(heard, words)).toBe(1);
});

describe.each(["2026-02", "2026-11"] as const)("the life of a teammate in %s", (revision) => {
  describe.each(["in-process", "process"] as const)("%s", (where) => expectLives(where, revision));
  describeWith("tmux", "tmux", () => expectLives("tmux", revision));
});
