// A published client as a target of the conformance suite. Its model is played here, and calls the
// tools that a model would: node model-driven.mjs <client>@<version> <directory it is installed in>
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { clientOf, makes, nameOf } from "../interop/client.ts";
import type { Call } from "../interop/dialect.ts";
import { install } from "../interop/install.ts";
import { type RealLead, startLead } from "../interop/real-lead.ts";
import { openStage, type Stage } from "../interop/stage.ts";

const [word = "", directory = ""] = process.argv.slice(2);
const client = clientOf(word);
const environment = Object.fromEntries(Object.entries(process.env).map(([name, value = ""]) => [name, value]));

const codes = { absent: -32601, notFound: 1001, conflict: 1002, invalid: 1004 } as const;

const refusal = (code: keyof typeof codes, message: string): Error => Object.assign(new Error(message), { code });

/** A session of the client, and the team it leads. */
interface Lead {
  readonly stage: Stage;
  readonly lead: RealLead;
  readonly team: string;
}

let root = process.env["AGENT_TEAMS_HOME"] ?? "";
let leading: Lead | undefined;

interface Params {
  readonly [name: string]: unknown;
  readonly team: string;
}

/** Starts the client in a home of its own, whose teams and tasks are those of the suite. */
async function openLead({ team, description, sessionId }: Params): Promise<Lead> {
  const { client: installed } = (await install(client, { directory, environment })) as { client: Stage["client"] };
  const stage = await openStage({ client: installed, troupe: "" });
  for (const name of ["teams", "tasks"]) {
    mkdirSync(join(root, name), { recursive: true });
    symlinkSync(join(root, name), join(stage.root, name));
  }
  const { hasScreen } = makes[client.kind];
  const flags = hasScreen ? ["--dangerously-skip-permissions", "--teammate-mode", "in-process"] : [];
  const isByName = client.revision === "2026-02";
  const lead = await startLead(stage, ...flags, ...(isByName ? [] : ["--session-id", String(sessionId)]));
  if (isByName) {
    const [name, input] = lead.dialect.makeTeam(team);
    const more = description === undefined ? {} : { description };
    const own =
      name === "TeamCreate" ? { ...input, ...more } : { toolName: "TeamCreate", params: { team_name: team, ...more } };
    understood(await lead.does([name, own]));
  }
  return { stage, lead, team };
}

/** Lets the model of the lead call a tool. What another leads is out of its reach. */
async function calls(team: string, call: (lead: RealLead) => Call): Promise<string> {
  if (leading?.team !== team) throw refusal("absent", "a session works only in the team it leads");
  return understood(await leading.lead.does(call(leading.lead)));
}

/** The tools tell in words that something was refused. */
function understood([said = ""]: readonly string[]): string {
  if (/"success":\s*false/.test(said)) throw refusal(/already/.test(said) ? "conflict" : "notFound", said);
  if (/not found|does not exist|no (?:such )?(?:task|member|teammate)/i.test(said)) throw refusal("notFound", said);
  if (/already (?:exists|leading|in use)|already has/i.test(said)) throw refusal("conflict", said);
  if (/error|invalid|cannot|failed/i.test(said.slice(0, 200))) throw refusal("invalid", said);
  return said;
}

async function close(): Promise<void> {
  await leading?.stage.close();
  leading = undefined;
}

/** The tools take no more than these of the fields of a task. */
const changes = ["subject", "description", "activeForm", "status", "addBlocks", "addBlockedBy", "metadata"] as const;

const given = (params: Params, names: readonly string[]): object =>
  Object.fromEntries(names.filter((name) => params[name] !== undefined).map((name) => [name, params[name]]));

const methods: Readonly<Record<string, (params: Params) => Promise<object> | object>> = {
  async reset({ root: next }) {
    await close();
    root = String(next);
    return {};
  },
  async bye() {
    await close();
    return {};
  },
  async "team.create"(params) {
    if (leading) throw refusal("absent", "one session makes one team");
    leading = await openLead(params);
    return { team: leading.team };
  },
  async "member.add"({ team, name, prompt, backend, mode }) {
    if (backend !== "in-process") throw refusal("absent", "it is started in a terminal that is not in tmux");
    const more = { team, ...(mode !== undefined && { mode: String(mode) }) };
    await calls(team, ({ dialect }) => dialect.spawn(String(name), String(prompt), more));
    // It may have given the member another name than it was asked for.
    const { members } = JSON.parse(readFileSync(join(root, "teams", team, "config.json"), "utf8"));
    return { member: members.find((one: { name: unknown }) => one.name === name) ?? members.at(-1) };
  },
  async "task.create"(params) {
    const input = given(params, ["subject", "description", "activeForm", "metadata"]);
    const said = await calls(params.team, () => ["TaskCreate", input]);
    return { id: /#(\S+?)\b/.exec(said)?.[1] ?? said };
  },
  async "task.update"(params) {
    const { team, id, owner, by } = params;
    if (owner === null) throw refusal("absent", "its tool cannot give a task back");
    if (by !== undefined && by !== "team-lead") throw refusal("absent", "the lead alone is played");
    await calls(team, () => ["TaskUpdate", { taskId: id, ...given(params, [...changes, "owner"]) }]);
    return {};
  },
  async "inbox.append"({ team, agent, from, text, summary = "a word" }) {
    if (from !== "team-lead") throw refusal("absent", "the lead alone is played");
    await calls(team, ({ dialect }) => {
      const [tool, input] = dialect.send(String(agent), String(text));
      return [tool, { ...input, summary }];
    });
    return {};
  },
};

const hello = {
  name: client.kind,
  version: client.version,
  language: "TypeScript",
  protocol: 1,
  revisions: [client.revision],
  levels: [],
  methods: Object.keys(methods).filter((name) => name.includes(".")),
  // Starting it takes that long; it is no time that it waits for a lock.
  quirks: { waitMs: 60_000, unblockStyle: "keep" },
};

async function answerTo(name: string, params: Params): Promise<object> {
  if (name === "hello") return { result: hello };
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (!method) return { error: { code: codes.absent, message: `${nameOf(client)} has no such tool` } };
  try {
    return { result: await method(params) };
  } catch (error) {
    const { code, message } = error as { code?: keyof typeof codes; message: string };
    return { error: { code: code && Object.hasOwn(codes, code) ? codes[code] : -32603, message } };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line) as { id: number; method: string; params: Params };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...(await answerTo(method, params)) })}\n`);
  if (method === "bye") break;
}
process.stdin.destroy();
