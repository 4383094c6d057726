import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { MessageDraft } from "@troupe/protocol";
import { openPostgresStore } from "@troupe/store-postgres";
import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { ended, main, sample } from "../command-line.ts";
import { ann, isAnn, leadOfAnn, openLeads } from "../led-team.ts";
import { processesOf } from "../processes.ts";
import type { Place } from "./server.ts";
import { describeWithServer } from "./suite.ts";

await describeWithServer("the command line on PostgreSQL", (server) => {
  let place: Place | undefined;
  const leads = openLeads(() => ({ TROUPE_STORE: place?.url ?? "" }));
  const { home, root, troupe, told, json, refusal, begin, live, stage } = leads;

  /** A database of its own for one test, which all runs of the command have by the environment. */
  async function withTables(): Promise<string> {
    const made = await server().newPlace();
    place = made;
    expect(json("store-migrate", ["store", "migrate"])).toMatchObject({ from: 0 });
    return made.url;
  }

  async function storeAt(url: string) {
    const store = await openPostgresStore({ url });
    onTestFinished(() => store.close());
    return store;
  }

  test.each(["2026-02", "2026-11"])(
    "a team lives there from its making to its end, without a file (%s)",
    async (revision) => {
      await withTables();
      told("team", "create", "crew", "--revision", revision);
      for (const name of ["ann", "bob"]) told("team", "join", "crew", name);
      told("send", "ann", "Read the grammar.");
      expect(told("inbox", "ann")).toContain("Read the grammar.");
      told("task", "create", "read");
      told("task", "create", "write", "--blocked-by", "1");
      expect(troupe(["task", "claim", "2", "--as", "ann"]).status).toBe(1);
      told("task", "claim", "--as", "ann");
      told("task", "complete", "1", "--as", "ann");
      expect(told("task", "claim", "2", "--as", "bob")).toBe("bob has #2 write\n");
      expect(json("task-list", ["task", "list"]).tasks).toMatchObject([{ status: "completed" }, { owner: "bob" }]);
      expect(json("show", ["show"]).teams).toMatchObject([{ name: "crew", isLive: true }]);
      expect(json("team-list", ["team", "list"]).teams).toMatchObject([{ name: "crew", members: 3 }]);
      expect(told("log")).toContain("team-lead to ann: Read the grammar.");
      for (const name of ["ann", "bob"]) told("team", "leave", "crew", name);
      told("team", "delete", "crew", "--yes");
      expect(refusal(3, ["team", "show"])).toContain("there is no team under postgres://");
      expect([existsSync(join(root, "teams")), existsSync(join(root, "tasks"))]).toEqual([false, false]);
    },
  );

  test("of eight processes that claim at once each task has one", async () => {
    await withTables();
    told("team", "create", "crew");
    const names = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `m${n}`);
    for (const name of names) told("team", "join", "crew", name);
    for (const subject of ["a", "b", "c"]) told("task", "create", subject);
    const runs = await Promise.all(names.map((name) => ended(begin(["task", "claim", "crew", "--as", name]))));
    const won = runs.filter(({ status }) => status === 0).map(({ stdout }) => /#\d/.exec(stdout)?.[0]);
    expect(won.sort()).toEqual(["#1", "#2", "#3"]);
  });

  test("an option goes before the environment, that before the person's settings; a password is shown by none", async () => {
    const url = await withTables();
    told("team", "create", "there");
    const names = (...args: readonly string[]) =>
      json("team-list", ["team", "list", ...args]).teams.map(({ name }: { name: string }) => name);
    mkdirSync(root, { recursive: true });
    expect(names("--store", "files")).toEqual([]);
    place = undefined;
    expect(names()).toEqual([]);
    expect(names("--store", url)).toEqual(["there"]);
    writeFileSync(join(root, "settings.json"), JSON.stringify({ teamStore: url }));
    onTestFinished(() => writeFileSync(join(root, "settings.json"), "{}"));
    expect(names()).toEqual(["there"]);
    expect(names("--store", "files")).toEqual([]);
    mkdirSync(join(home, "clone/.claude"), { recursive: true });
    writeFileSync(join(home, "clone/.claude/settings.json"), JSON.stringify({ teamStore: "postgres://evil/x" }));
    expect(troupe(["team", "list"], { cwd: join(home, "clone") }).stdout).toContain("there");
    writeFileSync(join(root, "settings.json"), '{"teamStore": 3}');
    expect(refusal(2, ["team", "list"])).toContain("teamStore in");
    const env = { TROUPE_STORE: url.replace("troupe@", "troupe:secret@") };
    expect(refusal(3, ["team", "show", "none"], { env })).toMatch(/under postgres:\/\/troupe@localhost/);
    const withPassword = url.replace("troupe@", "troupe:secret@").replace("postgres?", "none?password=secret&");
    for (const args of [["team", "list"], ["team", "list", "--debug"], ["store", "migrate"], ["doctor"]]) {
      const { status, stdout, stderr } = troupe([...args, "--store", withPassword]);
      expect({ status, stdout }, args.join(" ")).toEqual({ status: 1, stdout: "" });
      expect(stderr, args.join(" ")).toContain("does not exist");
      expect(stderr, args.join(" ")).not.toContain("secret");
      expect(stderr, args.join(" ")).toContain("note: everybody on this machine sees the password");
    }
    expect(refusal(2, ["team", "list", "--store", "postgre://u:secret@h/d"])).not.toContain("secret");
    expect(refusal(4, ["team", "list", "--store", "postgres://u@localhost:1/d"])).toContain("cannot be reached");
  });

  test("without its tables the command that creates them is named", async () => {
    place = await server().newPlace();
    expect(refusal(1, ["team", "list"])).toContain("troupe store migrate creates them");
  });

  test("a session leads a teammate in a process there, and its address is in no arguments", async () => {
    const url = await withTables();
    const seen: string[] = [];
    const { lead } = await stage((asked) => {
      seen.push(...argumentsOf(processesOf(root)));
      return isAnn(asked) ? ann(asked) : leadOfAnn(asked);
    });
    const { status, stdout, stderr } = await lead("process").over();
    expect({ status, stdout }, stderr).toEqual({ status: 0, stdout: "All is done.\n" });
    expect(seen.some((line) => line.includes("--agent-name"))).toBe(true);
    expect(seen.filter((line) => line.includes(new URL(url).searchParams.get("host") ?? ""))).toEqual([]);
    expect(told("log", "crew")).toContain("team-lead hears that ann agrees to end");
    leads.expectNothingLeft();
  });

  test("a permission and a plan are answered there, at the command line and on the page", async () => {
    const url = await withTables();
    told("team", "create", "crew");
    told("team", "join", "crew", "ann");
    const team = await (await storeAt(url)).openTeam("crew");
    const self = await team?.as("ann");
    const ask = async (id: string) => {
      const body: MessageDraft = {
        type: "permission_request",
        request_id: id,
        agent_id: "ann",
        tool_name: "Edit",
        tool_use_id: id,
        description: "it changes a file",
        input: { file_path: "/a", old_string: "one", new_string: "two" },
        permission_suggestions: [],
      };
      await self?.record({ kind: "permission", id, phase: "asked", tool: "Edit", reason: "it changes a file" });
      await self?.send("team-lead", { body });
    };
    const answers = async () =>
      ((await team?.mail("ann").page())?.value ?? []).map(({ entry }) => JSON.parse(entry.text).type);
    const env = { CLAUDECODE: "", TROUPE_TEAMMATE: "" };
    await ask("perm-1");
    expect(json("permission-list", ["permission", "list"]).requests).toMatchObject([{ id: "perm-1", from: "ann" }]);
    const allowing = ended(begin(["permission", "allow", "ann", "--json"], env));
    await untilSeen("the first answer", async () => (await answers()).length === 1);
    await self?.record({ kind: "permission", id: "perm-1", phase: "allowed", tool: "Edit", reason: "" });
    expect(JSON.parse((await allowing).stdout)).toMatchObject({ answer: "allowed", isHeard: true });
    const left = (await team?.mail("team-lead").page())?.value ?? [];
    expect(left.filter(({ entry }) => !entry["read"])).toEqual([]);
    await ask("perm-2");
    const page = live("web", "--json", "--write", "--person", "Maria");
    onTestFinished(() => void page.child.kill());
    const { origin, hash } = new URL(JSON.parse(await page.until(() => true)).url);
    const post = { method: "POST", headers: { "content-type": "application/json" } };
    const entered = await fetch(`${origin}/session`, { ...post, body: JSON.stringify({ token: hash.slice(1) }) });
    const cookie = entered.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const shown = await (await fetch(`${origin}/api/teams`, { headers: { cookie } })).text();
    expect(shown).toContain("perm-2");
    expect(shown).toContain("postgres://");
    const body = JSON.stringify({ request: "perm-2", of: "permission", decision: "denied", note: "not yet" });
    const headers = { ...post.headers, cookie, origin };
    const denying = fetch(`${origin}/api/team/crew/answer`, { ...post, headers, body });
    await untilSeen("the second answer", async () => (await answers()).length === 2);
    await self?.record({ kind: "permission", id: "perm-2", phase: "denied" });
    expect(await (await denying).json()).toMatchObject({ isDone: true, words: "denied for ann" });
    const stamp = { from: "ann", timestamp: new Date().toISOString(), requestId: "plan-1" };
    const plan = { planFilePath: "/plan.md", planContent: "First the tests." };
    await self?.record({ kind: "plan", id: "plan-1", phase: "asked" });
    await self?.send("team-lead", { body: { type: "plan_approval_request", ...stamp, ...plan } });
    expect(told("plan", "show", "ann")).toContain("First the tests.");
    const approving = ended(begin(["plan", "approve", "ann", "--json"], env));
    await untilSeen("the third answer", async () => (await answers()).length === 3);
    await self?.record({ kind: "plan", id: "plan-1", phase: "allowed" });
    expect(JSON.parse((await approving).stdout)).toMatchObject({ answer: "allowed", isHeard: true });
    const kinds = ["permission_response", "permission_response", "plan_approval_response"];
    expect(await answers()).toEqual(kinds);
  });

  test("teams go over from files and back, a second time is refused, and a check says what is wrong", async () => {
    await withTables();
    const into = ["store", "import", sample];
    expect(json("store-import", into)).toMatchObject({
      teams: ["parser-team", "session-b7f5edcc"],
      tasks: 7,
      left: [],
    });
    expect(refusal(1, into)).toContain("there is a team called");
    expect(told("team", "show", "parser-team")).toBe(
      told("team", "show", "parser-team", "--store", "files", "--root", sample),
    );
    const back = join(home, "back");
    expect(json("store-export", ["store", "export", back])).toMatchObject({ root: back, tasks: 7 });
    expect(readFileSync(join(back, "teams/parser-team/config.json"), "utf8")).toBe(
      readFileSync(join(sample, "teams/parser-team/config.json"), "utf8"),
    );
    expect(refusal(1, ["store", "export", back])).toContain("there is a team called");
    const checked = json("store-check", ["store", "check"], { status: 1 });
    expect(checked).toMatchObject({ isStandby: false, findings: [{ where: "session-b7f5edcc, inbox team-lead" }] });
    expect(json("doctor", ["doctor"], { status: 1 }).findings).toMatchObject([{ path: checked.findings[0].where }]);
    expect(troupe(["store", "check"]).stdout).toContain("1 problem");
  });

  test("a client of others is a member there over MCP", async () => {
    const url = await withTables();
    told("team", "create", "crew");
    const args = [main, "mcp", "--root", root, "--team", "crew", "--as", "zed"];
    const env = { PATH: process.env["PATH"] ?? "", HOME: home, TROUPE_STORE: url };
    const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" });
    const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(transport);
    await client.callTool({ name: "team_status", arguments: {} });
    expect(told("team", "show", "crew")).toContain("zed");
    told("send", "zed", "Hello there.");
    const mail = await client.callTool({ name: "read_mail", arguments: {} });
    expect(JSON.stringify(mail)).toContain("Hello there.");
    await client.close();
    expect(readdirSync(root)).not.toContain("teams");
  });
});

/** What everybody sees of these processes with `ps`. */
const argumentsOf = (pids: readonly string[]): string[] =>
  pids.flatMap((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    } catch {
      return [];
    }
  });
