import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Running, startProcess } from "@troupe/process";
import { type Answer, type Call, exits } from "../command.ts";
import { examineAll } from "../doctor/doctor.ts";
import { openStore } from "../open.ts";
import { run as watch } from "../watch/watch.ts";
import { makeTeam, taskCount, teamName, workers } from "./team.ts";
import { work } from "./work.ts";

export async function run(call: Call<object, { as?: string }>): Promise<Answer | undefined> {
  const { as } = call.options;
  if (as !== undefined) return work(call, as);
  const root = mkdtempSync(join(tmpdir(), "troupe-demo-"));
  await makeTeam(openStore({ root, now: call.now }), call);
  const over = new AbortController();
  const signal = AbortSignal.any([call.signal, over.signal]);
  const processes: Running[] = [];
  const codes: Promise<number>[] = [];
  const completed = new Set<unknown>();
  /** The workers start once the team is shown; the demo ends once the last completion is shown. */
  const tell = async (answer: Answer) => {
    const exit = await call.tell(answer);
    if (processes.length === 0) processes.push(...workers.map((name) => start(name, root, call)));
    if (codes.length === 0) codes.push(...processes.map((child) => ended(child, over)));
    const { task } = (answer.document ?? {}) as { task?: { id: string; status: string } };
    if (task?.status === "completed") completed.add(task.id);
    if (completed.size === taskCount) over.abort();
    return exit;
  };
  try {
    await watch({ ...call, root, signal, tell, args: { team: teamName } });
    if (!call.signal.aborted) return await lastWords({ ...call, root, options: {} }, await Promise.all(codes));
  } finally {
    await Promise.all(processes.map((one) => one.end()));
  }
  // An interrupted demo suggests no further commands.
  await Promise.all(codes);
  rmSync(root, { recursive: true, force: true });
  return undefined;
}

/** Starts this program once more, as its own process. */
function start(name: string, root: string, { cwd, environment }: Call): Running {
  const args = [process.argv[1] ?? "", "demo", "--as", name, "--root", root];
  const given = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const running = startProcess({ program: process.execPath, args, cwd, environment: Object.fromEntries(given) });
  running.output.resume();
  running.errors.pipe(process.stderr, { end: false });
  return running;
}

/** Returns the exit code; a process that fails ends the demo. */
async function ended(running: Running, over: AbortController): Promise<number> {
  const { code } = await running.ended;
  if (code !== 0) over.abort();
  return code ?? exits.failed;
}

async function lastWords(call: Call, codes: readonly number[]): Promise<Answer> {
  const { text: found = [], exit: verdict = exits.done } = await examineAll(call);
  const failed = codes.filter((code) => code !== 0).length;
  const { root } = call;
  const tries = [
    ["troupe show", "the team as it is now"],
    [`troupe task graph ${teamName}`, "what waited for what"],
    [`troupe inbox ${teamName} team-lead`, "what the lead was told"],
    [`troupe send ${teamName} writer "Thank you"`, "a message of your own"],
  ] as const;
  return {
    document: { at: call.now().toISOString(), event: "over", root, failed, isSound: verdict === exits.done },
    text: [
      "",
      { text: "WHAT THE DOCTOR SAYS", style: "bold" },
      ...found,
      "",
      { text: "WHAT TO TRY NEXT", style: "bold" },
      `export CLAUDE_CONFIG_DIR=${root}`,
      { rows: tries.map(([line, meaning]) => [line, `# ${meaning}`]) },
      "In a checkout, npm run -s troupe -- stands for troupe.",
    ],
    exit: failed > 0 ? exits.failed : verdict,
    ...(failed > 0 ? { remark: `${failed} of the processes failed` } : {}),
  };
}
