import { runProcess } from "@troupe/process";
import type { Served, Stage } from "./stage.ts";

interface Look {
  readonly what: string;
  readonly role: readonly string[];
  readonly method: readonly string[];
  readonly code: number;
  readonly says: string;
}

const call = (tool: string, ...pairs: readonly string[]): readonly string[] => [
  ...["--method", "tools/call", "--tool-name", tool],
  ...(pairs.length > 0 ? ["--tool-arg", ...pairs] : []),
];
const method = (name: string, ...more: readonly string[]) => ["--method", name, ...more];
const [bob, lead, onlooker] = [["--as", "bob"], ["--lead"], ["--observe"]];

/** What a person does with the Inspector's command line, what it says, and how it ends. */
const looks: readonly Look[] = [
  {
    what: "tools of a member, strictly",
    role: bob,
    method: method("tools/list", "--strict"),
    code: 0,
    says: "read_mail",
  },
  {
    what: "tools of a lead, strictly",
    role: lead,
    method: method("tools/list", "--strict"),
    code: 0,
    says: "spawn_member",
  },
  { what: "tools of an onlooker", role: onlooker, method: method("tools/list"), code: 0, says: "team_status" },
  { what: "a call", role: bob, method: call("create_task", "subject=Dig"), code: 0, says: "Created #" },
  { what: "an id as a number", role: bob, method: call("get_task", "id=1"), code: 0, says: "Paint" },
  {
    what: "an error of a tool",
    role: bob,
    method: call("get_task", "id=99"),
    code: 5,
    says: "call list_tasks for the ids",
  },
  {
    what: "a tool that the role has not",
    role: onlooker,
    method: call("send_message", "to=bob"),
    code: 5,
    says: "not found",
  },
  { what: "mail of nobody yet", role: lead, method: call("read_mail"), code: 0, says: "No new mail" },
  { what: "resources", role: bob, method: method("resources/list"), code: 0, says: "troupe://team/crew/inbox/bob" },
  { what: "templates", role: bob, method: method("resources/templates/list"), code: 0, says: "task/{id}" },
  {
    what: "a resource",
    role: onlooker,
    method: method("resources/read", "--uri", "troupe://team/crew/tasks"),
    code: 0,
    says: "Sweep",
  },
  { what: "prompts", role: lead, method: method("prompts/list"), code: 0, says: "lead_team" },
  {
    what: "a prompt",
    role: bob,
    method: method("prompts/get", "--prompt-name", "join_team"),
    code: 0,
    says: "Work as bob",
  },
  {
    what: "five hundred calls, ten at once",
    role: onlooker,
    method: [...call("team_status"), "--load", "--load-requests", "500"],
    code: 0,
    says: "500",
  },
];

export interface Tools {
  readonly node: string;
  /** The script of the Inspector. */
  readonly inspector: string;
}

/** What differs, in words; one look after the other, since a member is there once at a time. */
export async function inspect(stage: Stage, served: Served, { node, inspector }: Tools): Promise<readonly string[]> {
  const strange: string[] = [];
  const look = async ({ what, method: words, code, says }: Omit<Look, "role">, target: readonly string[]) => {
    const run = await runProcess({
      program: node,
      args: [inspector, "--cli", ...target, ...words],
      cwd: stage.home,
      environment: stage.environment,
      timeoutMs: 60_000,
      keptBytes: 1 << 20,
    });
    const said = `${run.stdout}\n${run.stderr}`;
    if (run.code === code && said.includes(says)) return;
    strange.push(`${what}: ended with ${run.code ?? run.failure} instead of ${code}, and said ${said.slice(0, 600)}`);
  };
  for (const { role, ...one } of looks) await look(one, [process.execPath, ...stage.serving(...role)]);
  const header = ["--header", `Authorization: Bearer ${served.token}`];
  for (const era of ["legacy", "modern"]) {
    const over = { what: `over HTTP, ${era}`, code: 0, says: "Paint" };
    await look({ ...over, method: [...header, "--protocol-era", era, ...call("list_tasks")] }, [
      "--server-url",
      served.url,
    ]);
    const stdio = { what: `over stdio, ${era}`, code: 0, says: "Paint" };
    await look({ ...stdio, method: ["--protocol-era", era, ...call("list_tasks")] }, [
      process.execPath,
      ...stage.serving(...bob),
    ]);
  }
  const denied = { what: "over HTTP without the token", code: 3, says: "auth_required" };
  await look({ ...denied, method: method("tools/list", "--stored-auth-only") }, ["--server-url", served.url]);
  return strange;
}
