import { createAbort, type Session, settingsOf } from "@troupe/runtime";
import type { Answer, Call } from "../command.ts";
import { type AttendedDeps, attended } from "./attended.ts";
import { backendsOf } from "./backends.ts";
import { openRealSession, openWorktree } from "./compose.ts";
import { leadSeat } from "./lead-seat.ts";
import type { RunOptions } from "./options.ts";
import { promptOf } from "./prompt.ts";
import { openReport, type Report } from "./report.ts";
import { type Ending, endingOf } from "./stream.ts";
import { createTeammateWatch } from "./teammate-watch.ts";
import { typedMessages } from "./typed-messages.ts";
import { defaultRevision, positive, type SessionParts, wishOf, wrong } from "./wish.ts";

type RunCall = Call<{ prompt?: string | undefined }, RunOptions>;

/** Runs an agent on a task, or on messages as they come; or sits a person down at a session. */
export async function run(call: RunCall): Promise<Answer> {
  const { worktree } = call.options;
  checkFormats(call);
  if (worktree === undefined) return work(call, call.cwd);
  const workspace = await openWorktree(call, worktree);
  try {
    return await work(call, workspace.path);
  } finally {
    const { isKept } = await workspace.release();
    if (isKept) call.note(`the worktree ${workspace.path} has changes and stays, on the branch ${workspace.branch}`);
  }
}

/** On a terminal a person sits down at a session; what it needs is loaded for them alone. */
async function sitDown(call: RunCall, wish: SessionParts): Promise<Answer> {
  const { "screen-reader": spoken, "max-budget-usd": budget, backend, team } = call.options;
  if (budget !== undefined) throw wrong('--max-budget-usd needs a task: troupe -p "what is to be done"');
  const { interact } = await import("./interactive.ts");
  const isSpoken = spoken ?? (call.environment["TROUPE_SCREEN_READER"] ?? "") !== "";
  return interact(call, { ...wish, teammates: backend, team, isSpoken });
}

async function work(given: RunCall, cwd: string): Promise<Answer> {
  const { options, signal, note } = given;
  const wish = wishOf(given, cwd);
  const call = { ...given, cwd };
  if (hasPerson(call)) return sitDown(call, wish);
  if (options.resume === "") throw wrong("--resume needs the id of a session: troupe sessions lists them");
  const { revision = defaultRevision, team } = options;
  const { settings } = settingsOf({ ...call, flag: JSON.stringify(wish.settings) });
  const budget = positive("max-budget-usd", options["max-budget-usd"], Number.isFinite);
  const takesMessages = options["input-format"] === "stream-json";
  const prompt = takesMessages ? undefined : await promptOf(call);

  const teammates = createTeammateWatch();
  const stopping = createAbort(signal);
  let opened: Session | undefined;
  const report = openReport({
    call,
    servers: Object.keys(settings.mcpServers ?? {}),
    session: () => opened,
    // A cost that is not known is more than any budget.
    onCost: (cost = Number.POSITIVE_INFINITY) => budget !== undefined && cost >= budget && stopping.abort("budget"),
  });
  const { ask } = report;
  // Nobody looks on: no pane is opened that was not asked for.
  const mode = options.backend ?? settings.teammateMode ?? "in-process";
  const backends = backendsOf({ call, revision, mode, definitions: wish.definitions, ask, onEvent: report.count });
  if (budget !== undefined && backends[0]?.name !== "in-process")
    throw wrong("--max-budget-usd counts what this process asks for: choose --backend in-process, or leave it out");
  const session = await openRealSession(call, {
    ...wish,
    person: { ask, show: note },
    backends,
    onEvent(event) {
      report.add(event);
      teammates.add(event);
    },
  });
  opened = session;
  try {
    for (const problem of session.problems) note(problem);
    const seat = await leadSeat(call, { team, model: wish.model }, session);
    if (seat) session.enter(seat);
    const ending = await attendedWith(prompt, { session, teammates, signal: stopping.signal }, call, report);
    return report.answer(session, ending);
  } finally {
    await session.close();
  }
}

/** Runs the turns of a prompt, or of messages as they come, and tells how each ended. */
async function attendedWith(
  prompt: string | undefined,
  deps: Pick<AttendedDeps, "session" | "teammates" | "signal">,
  { streams }: RunCall,
  { tell }: Report,
): Promise<Ending> {
  const { session, signal } = deps;
  if (prompt !== undefined) {
    // A slash command that the session answers itself starts no turn.
    const said = await session.submit(prompt, signal);
    const ending = endingOf(await attended(deps), said);
    tell(ending);
    return ending;
  }
  let said: string | undefined;
  const input = typedMessages(streams.input, async (text) => {
    said = await session.submit(text, signal);
    if (said !== undefined) tell(endingOf(undefined, said));
  });
  const terminal = await attended({ ...deps, input, onTurn: (turn) => tell(endingOf(turn)) });
  if (!signal.aborted) await input.ended;
  input.close();
  return endingOf(terminal, said);
}

function checkFormats({ options, args, isJson }: RunCall): void {
  const { "output-format": output, "input-format": input } = options;
  if (isJson && output !== undefined) throw wrong("--json and --output-format are two forms of the answer: choose one");
  if (input !== "stream-json") return;
  if (output !== "stream-json") throw wrong("--input-format stream-json needs --output-format stream-json");
  if (args.prompt !== undefined) throw wrong("--input-format stream-json reads standard input: leave out the prompt");
}

/** A person sits at a terminal, and has given no task. */
function hasPerson({ args, options, streams: { input, output } }: RunCall): boolean {
  const isTerminal = (stream: object) => "isTTY" in stream && stream.isTTY === true;
  const isForPrograms = options["output-format"] !== undefined || options["input-format"] !== undefined;
  return args.prompt === undefined && !options.print && !isForPrograms && isTerminal(input) && isTerminal(output);
}
