import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endTree } from "@troupe/process";
import { isUnread, type PermissionMode, type Revision, revisions } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { eventIn, memoryLedger, openMembership, type Reply } from "@troupe/team";
import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { openAgent } from "./agent.ts";
import { hostAgent } from "./host.ts";
import { agentNamed, lentVariables } from "./presets.ts";

const script = join(import.meta.dirname, "../../test/acp-agent.mjs");
const modes = { default: "default", plan: "plan", acceptEdits: "acceptEdits" };

/** An agent without a member. */
const alone = {
  cwd: tmpdir(),
  environment: lentVariables(process.env, []),
  server: { name: "troupe", command: "/bin/false", args: [], environment: {} },
  decide: async () => "deny" as const,
  onCall: () => {},
  show: () => {},
};

interface Wish {
  readonly mode?: PermissionMode;
  readonly planModeRequired?: boolean;
  /** What the lead says to permissions. */
  readonly reply?: Reply;
  readonly flags?: readonly string[];
  readonly resume?: string;
  readonly revision?: Revision;
}

/** A lead that answers, and a teammate that is the scripted agent. */
async function stage({
  mode = "default",
  planModeRequired = false,
  reply,
  flags = [],
  resume,
  revision = "2026-11",
}: Wish = {}) {
  const root = mkdtempSync(join(tmpdir(), "troupe-acp-"));
  const store = openFileStore({ root });
  const at = { createdAt: Date.now(), cwd: root };
  const team = await store.createTeam({ ...at, name: "crew", leadSessionId: "s", leadModel: "m", revision });
  await team.join({ name: "ann", agentType: "acp", model: "", prompt: "", joinedAt: at.createdAt, cwd: root });
  const ending = new AbortController();
  const shown: string[] = [];
  const common = { team, lead: "team-lead", now: () => new Date(), newId: randomUUID };
  const ledger = memoryLedger();
  const leading = openMembership({
    ...common,
    self: await team.as("team-lead"),
    ledger: () => ledger,
    show: () => {},
  });
  const heard: string[] = [];
  const attending = leading.attend(
    {
      kind: "session",
      hear(messages) {
        for (const { entry, texts } of messages) {
          ledger.append(entry);
          heard.push(texts.join("\n"));
        }
        return messages.map(({ message }) => message.key);
      },
      turnEnded: async () => undefined,
      ask: (question) => (question.kind === "permission" && reply ? Promise.resolve(reply) : undefined),
      stop: async () => {},
    },
    ending.signal,
  );
  attending.catch(() => {});
  const annsLedger = memoryLedger();
  let session = resume;
  const host = () =>
    hostAgent({
      ...common,
      self: { ...ann },
      ledger: annsLedger,
      isSpawned: true,
      show: (message) => void shown.push(message),
      preset: { command: [process.execPath, script, ...flags], variables: [], modes },
      mode,
      planModeRequired,
      cwd: root,
      environment: { ...lentVariables(process.env, []), PLACE: root },
      server: { name: "troupe", command: "/bin/false", args: [], environment: {} },
      session: {
        read: () => session,
        write: (id) => {
          session = id;
        },
      },
      signal: ending.signal,
    });
  const ann = await team.as("ann");
  const over = host();
  over.catch(() => {});
  onTestFinished(async () => {
    ending.abort();
    await over.catch(() => {});
    await leading.close();
    await store.close();
    await endTree({ mark: `PLACE=${root}`, graceMs: 0 });
    rmSync(root, { recursive: true, force: true });
  });
  const lead = await team.as("team-lead");
  return {
    team,
    lead,
    leading,
    heard,
    shown,
    over,
    host,
    /** What the lead hears in the end. */
    word: (part: string) => untilSeen(part, () => heard.find((one) => one.includes(part))),
    unread: async () => ((await team.mail("ann").page()).value ?? []).filter(({ entry }) => isUnread(entry)).length,
  };
}

test.for(revisions)(
  "in %s its mail is its prompts, and what it says last is reported to its lead",
  async (revision) => {
    const { lead, word, unread } = await stage({ revision });
    await lead.send("ann", { text: "do: paint" });
    await word("I did: paint");
    await lead.send("ann", { text: "do: clean" });
    await word("I did: clean");
    await untilSeen("the mail as read", async () => (await unread()) === 0);
  },
);

test.each<[string, Reply, string]>([
  ["do: permit", { behavior: "allow" }, "the answer was yes"],
  ["do: permit", { behavior: "deny", message: "no" }, "the answer was no"],
  ["do: only-always", { behavior: "allow" }, "the answer was no"],
])(
  "%s: a lead that says %j is answered by the kind of an option, and once is never always",
  async (text, reply, said) => {
    const { lead, word } = await stage({ reply });
    await lead.send("ann", { text });
    await word(said);
  },
);

test("one that has to plan first changes nothing until its plan is approved, and works in the mode that it is given then", async () => {
  const { lead, leading, word, heard } = await stage({ planModeRequired: true, reply: { behavior: "allow" } });
  await lead.send("ann", { text: "do: permit" });
  await word("the answer was no");
  await lead.send("ann", { text: "do: plan" });
  await word("plan_approval_request");
  const [, id = ""] = /"requestId":"([^"]+)"/.exec(heard.join("\n").replaceAll("\\", "")) ?? [];
  await leading.send({ kind: "plan_approval_response", to: "ann", requestId: id, approve: true, feedback: "" });
  await lead.send("ann", { text: "do: permit" });
  await word("the answer was yes");
});

test.each([
  ["do: garbage", "I did: garbage"],
  ["do: twice", "idle_notification"],
  ["do: late", "I did: late"],
  ["do: refuse", "the agent refused to go on"],
])("%s: the next turn is as any other", async (text, said) => {
  const { lead, word } = await stage();
  await lead.send("ann", { text });
  await word(said);
  await lead.send("ann", { text: "do: paint" });
  await word("I did: paint");
});

test("of an answer of ten million characters the end is reported", async () => {
  const { lead, word } = await stage();
  await lead.send("ann", { text: "do: big" });
  expect((await word("I did: big")).length).toBeLessThan(200_000);
});

test("urgent mail ends the turn that is under way, and is the next one", async () => {
  const { team, lead, word } = await stage();
  await lead.send("ann", { text: "do: wait" });
  await untilSeen("a turn", async () => {
    const recorded = [];
    for await (const one of team.history()) recorded.push(eventIn(one));
    return recorded.some((event) => event?.kind === "turn" && event.phase === "began");
  });
  await lead.send("ann", { text: "do: paint", urgent: true });
  await word("I did: paint");
});

test("one that ends in a tool is told with its last words, and its mail is there for the next process", async () => {
  const { lead, over, unread } = await stage();
  await lead.send("ann", { text: "do: die" });
  await expect(over).rejects.toThrow(/ended with exit code 3\n(.*\n)*out of memory/);
  expect(await unread()).toBe(1);
});

test("one that never answers is given up in words", async () => {
  const opened = openAgent({
    preset: { command: [process.execPath, script, "--silent"], variables: [] },
    ...alone,
    startMs: 300,
  });
  await expect(opened).rejects.toThrow("it did not answer within 300 ms");
});

test.each([
  ["--version-2", "it speaks version 2 of ACP, and Troupe version 1"],
  ["--login", /Authentication required: log in by hand with .* once, or set what it needs of GEMINI_API_KEY/],
  ["--die", /the agent ended with exit code 3\nno such model$/],
])("of an agent that is started with %s it is said why it is no teammate", async (flag, why) => {
  const preset = { command: [process.execPath, script, flag] as const, variables: ["GEMINI_API_KEY"] };
  await expect(openAgent({ preset, ...alone, startMs: 10_000 })).rejects.toThrow(why);
});

test("an agent that has lost the session of its earlier process begins anew and is introduced", async () => {
  const { lead, word, shown } = await stage({ resume: "lost" });
  await lead.send("ann", { text: "do: introduced" });
  await word("I was introduced");
  expect(shown.join()).toContain("its earlier session is not resumed, it begins anew: no such session");
});

test("of an agent that floods each call is recorded once, and twenty lines that are no messages are shown", async () => {
  const { team, lead, word, shown } = await stage();
  await lead.send("ann", { text: "do: flood" });
  await word("I did: flood");
  const calls = [];
  for await (const one of team.history()) calls.push(eventIn(one));
  const tools = calls.flatMap((event) => (event?.kind === "tool" ? [event] : []));
  expect(tools.map(({ phase }) => phase)).toEqual(["began", "ended"]);
  expect(shown.filter((line) => line.startsWith("not a message"))).toHaveLength(20);
});

test("asked to end it agrees, and nothing of it runs any more", async () => {
  const { lead, leading, over, word } = await stage();
  await lead.send("ann", { text: "do: paint" });
  await word("I did: paint");
  await leading.send({ kind: "shutdown_request", to: "ann", reason: "done" });
  await over;
  await word("shutdown_approved");
});

test("the session of an earlier process is loaded, and what is told again then is no answer", async () => {
  const { lead, word, heard } = await stage({ resume: "s1" });
  await lead.send("ann", { text: "do: paint" });
  await word("I did: paint");
  expect(heard.join("\n")).not.toContain("what was said before");
});

test("a mode that the agent has not got is refused where it must be had", async () => {
  const { over } = await stage({ mode: "bypassPermissions" });
  await expect(over).rejects.toThrow("cannot work in the mode bypassPermissions: its modes are default, plan");
});

test("a program of others is given no variable that is not named", () => {
  const found = lentVariables({ PATH: "/bin", GEMINI_API_KEY: "k", AWS_SECRET_ACCESS_KEY: "s" }, ["GEMINI_API_KEY"]);
  expect(found).toEqual({ PATH: "/bin", GEMINI_API_KEY: "k" });
});

test("an agent is found by its name in PATH, or by its path; else it is said which there are, or what installs it", () => {
  const path = mkdtempSync(join(tmpdir(), "troupe-acp-path-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  writeFileSync(join(path, "gemini"), "", { mode: 0o755 });
  expect(agentNamed("gemini", path).command).toEqual([join(path, "gemini"), "--acp"]);
  expect(agentNamed("/opt/mine", path).command).toEqual(["/opt/mine"]);
  for (const word of ["nobody", "constructor"])
    expect(() => agentNamed(word, path)).toThrow(
      `"${word}": choose one of claude, codex, gemini, opencode, qwen, codebuddy, or the path of a program`,
    );
  expect(() => agentNamed("qwen", path)).toThrow("npm install -g @qwen-code/qwen-code installs it");
});
