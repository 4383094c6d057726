import { join } from "node:path";
import { openOrphans } from "@troupe/backends";
import { runAtTerminal } from "@troupe/process";
import { type Member, TroupeError } from "@troupe/protocol";
import { memberOf } from "@troupe/protocol/rules";
import { type Answer, type Call, exits } from "../command.ts";
import { openTeam } from "../open.ts";
import { setVariables } from "../session/environment.ts";

interface Pane {
  readonly pane: string;
  /** The socket of its tmux server; without it, that of tmux itself. */
  readonly socket: string | undefined;
}

/** Shows the pane of a member: inside the same tmux it goes there, elsewhere it attaches. */
export async function run(call: Call<{ team: string; member: string }>): Promise<Answer | undefined> {
  const { name } = await openTeam(call, call.args.team);
  const entry = await memberNamed(call);
  const { name: member } = entry;
  const { pane, socket } = await paneOf(call, entry);
  const [program, ...args] = ["tmux", ...(socket === undefined ? [] : ["-S", socket]), ...stepsTo(call, pane, socket)];
  const document = { team: name, member, pane, socket: socket ?? null, command: [program, ...args] };
  const { output, input } = call.streams as { output: { isTTY?: boolean }; input: { isTTY?: boolean } };
  if (call.isJson || !output.isTTY || !input.isTTY)
    return { document, text: [{ verbatim: shellWords(document.command) }] };
  const environment = setVariables(call);
  const { code } = await call.quietly(runAtTerminal({ program: "tmux", args, cwd: call.cwd, environment }));
  if (code === 0) return undefined;
  return {
    document,
    exit: exits.failed,
    remark: `tmux did not show ${pane}: it is gone, or no terminal shows this tmux; troupe team show ${name} tells`,
  };
}

async function memberNamed(call: Call<{ team: string; member: string }>): Promise<Member> {
  const { value } = await (await openTeam(call, call.args.team)).config();
  const found = value && memberOf(value, call.args.member);
  if (found) return found;
  const names = (value?.members ?? []).map(({ name }) => name).join(", ");
  const message = `there is no ${call.args.member} in ${call.args.team}: choose one of ${names}`;
  throw new TroupeError("member_unknown", message, { name: call.args.member });
}

/** A record knows the server; of another program's pane only the id stands in the roster. */
async function paneOf(
  call: Call<{ team: string; member: string }>,
  { name: member, tmuxPaneId: pane }: Member,
): Promise<Pane> {
  const { root, environment, args } = call;
  const running = await openOrphans({ records: join(root, "troupe/backends"), environment }).runningOf(args.team);
  const record = running.map((one) => one.record).find(({ name }) => name === member);
  if (record?.pane !== undefined) return { pane: record.pane, socket: record.server?.socket };
  if (!record && pane !== undefined && /^%\d+$/.test(pane)) return { pane, socket: undefined };
  const where = record ? `runs as a ${record.backend} without a screen` : "has no pane of tmux";
  const message = `${member} ${where}: troupe log ${args.team} --from ${member} --follow tells what it does`;
  throw new TroupeError("arguments_invalid", message, { member });
}

/** In one line of tmux: the window and the pane first, so that they are what is seen. */
function stepsTo({ environment }: Call, pane: string, socket: string | undefined): readonly string[] {
  const here = environment["TMUX"]?.split(",")[0];
  const isHere = here !== undefined && here !== "" && (socket === undefined || socket === here);
  const steps = ["select-window", "-t", pane, ";", "select-pane", "-t", pane, ";"];
  return [...steps, isHere ? "switch-client" : "attach-session", "-t", pane];
}

const shellWords = (words: readonly string[]): string =>
  words.map((word) => (/^[\w./%@=:-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
